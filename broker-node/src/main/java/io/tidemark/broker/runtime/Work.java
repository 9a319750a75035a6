package io.tidemark.broker.runtime;

/**
 * Something to do once a partition runs. What comes with every request is a class of its own: without the slow compiler a
 * lambda that captures costs a call into the JVM (PERFORMANCE.md).
 */
abstract class Work {
    abstract void run();

    /** Instead, if the partition has failed. */
    abstract void refuse();
}
