package io.tidemark.broker.clients;

import java.util.List;
import java.util.function.IntConsumer;

/** A client that does one step of work at a time; the steps are those of {@code src/test/clients/README.md}. */
interface RealClient {
    /** For the table: its name and version. */
    String name();

    /**
     * Does the step.
     *
     * @param sent hears how many records the step {@code steady} has written by now
     */
    Outcome run(String step, String bootstrap, List<String> arguments, IntConsumer sent);
}
