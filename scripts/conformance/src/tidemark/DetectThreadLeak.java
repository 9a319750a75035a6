package org.apache.kafka.common.test.api;

import io.tidemark.conformance.ServerThreads;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Stands before Kafka's class of this name on the class path. As there, a test must not leave its clients' threads
 * behind; shared pools of the libraries that Tidemark's servers use outlive a cluster by some seconds and do not count.
 */
public interface DetectThreadLeak {
    /** Those that {@link #of} did not find. */
    List<Thread> newThreads();

    /** Looks at the present threads of which {@code counts} is true. */
    static DetectThreadLeak of(Predicate<Thread> counts) {
        Set<Thread> before = clients(counts);
        return () -> clients(counts).stream()
                .filter(thread -> !before.contains(thread))
                .toList();
    }

    private static Set<Thread> clients(Predicate<Thread> counts) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(counts)
                .filter(thread -> !ServerThreads.contain(thread))
                .collect(Collectors.toSet());
    }
}
