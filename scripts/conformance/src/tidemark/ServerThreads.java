package io.tidemark.conformance;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Keeps the threads of Tidemark's servers, and all that these start, apart from those of the test's clients. */
public final class ServerThreads {
    private static final ThreadGroup GROUP = new ThreadGroup("tidemark");

    private ServerThreads() {}

    /** True for a thread that has ended as well: it has no group any more. */
    public static boolean contain(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        return group == null || GROUP.parentOf(group);
    }

    /** Starts {@code task} as a server; a failure of it is only printed. */
    static void start(Callable<Void> task) {
        thread(() -> {
            try {
                task.call();
            } catch (Exception e) {
                e.printStackTrace();
            }
        });
    }

    /** Runs {@code task} as a server and waits for it; an interrupt of the caller interrupts it. */
    static void run(Callable<Void> task) {
        FutureTask<Void> running = new FutureTask<>(task);
        Thread thread = thread(running);
        try {
            running.get();
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(GROUP, task, "tidemark-server");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
