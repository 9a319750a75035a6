package io.tidemark.broker.app;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of a broker that may block, for what must not run on a loop. None is ever interrupted: a thread that is
 * interrupted in a file's operation closes that file under everybody.
 */
final class BrokerThreads {
    private static final int BLOCKING = 16;
    private static final int READERS = 4;
    private static final long PATIENCE_MS = 10_000;

    private final String prefix;
    private final ThreadPoolExecutor blocking;
    private final ThreadPoolExecutor readers;
    /** ISR changes never wait behind a checkpoint. */
    private final ThreadPoolExecutor isrChanges;

    private final ScheduledThreadPoolExecutor scheduler;

    BrokerThreads(int brokerId) {
        this.prefix = "broker-" + brokerId + "-";
        this.blocking = pool(BLOCKING, "blocking");
        this.readers = pool(READERS, "reader");
        this.isrChanges = pool(1, "isr");
        this.scheduler = new ScheduledThreadPoolExecutor(1, named("scheduler"));
    }

    /** Creation, deletion, syncs and rolls of logs. */
    Executor blocking() {
        return blocking;
    }

    /** Reads of what is not in memory. */
    Executor readers() {
        return readers;
    }

    Executor isrChanges() {
        return isrChanges;
    }

    void every(long periodMs, Runnable work) {
        scheduler.scheduleWithFixedDelay(work, periodMs, periodMs, TimeUnit.MILLISECONDS);
    }

    /** No periodic work runs after this; what is under way is finished first. */
    void stopPeriodicWork() {
        stop(scheduler);
    }

    /** What waits is dropped, what is under way is finished. */
    void stop() {
        stop(scheduler);
        stop(blocking);
        stop(readers);
        stop(isrChanges);
    }

    private static void stop(ThreadPoolExecutor pool) {
        pool.getQueue().clear();
        pool.shutdown();
        try {
            pool.awaitTermination(PATIENCE_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private ThreadPoolExecutor pool(int threads, String purpose) {
        return new ThreadPoolExecutor(
                threads, threads, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), named(purpose));
    }

    private ThreadFactory named(String purpose) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + purpose + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
