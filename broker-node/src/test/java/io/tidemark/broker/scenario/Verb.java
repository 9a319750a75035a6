package io.tidemark.broker.scenario;

import java.io.IOException;
import java.util.Set;

/** Something that a scenario can ask for. */
record Verb(String name, int atLeast, int atMost, Set<String> options, Action action) {
    /** Does it. */
    interface Action {
        void run(Command command) throws IOException;
    }
}
