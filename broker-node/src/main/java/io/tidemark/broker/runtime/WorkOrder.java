package io.tidemark.broker.runtime;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * The order of what one partition does: work runs as it comes, and waits in order while something that may block is done on
 * another thread. The loop's, as all that it calls.
 *
 * <pre>
 *   Running  --hold, pause------&gt; Paused   --done elsewhere--&gt; Running
 *   any      --stop-------------&gt; Stopped  (work is refused)
 * </pre>
 */
final class WorkOrder {
    /** Work that may block. */
    interface Blocking {
        void run() throws IOException;
    }

    /** The partition whose work it is. */
    interface Owner {
        /** Work, here or elsewhere, has thrown this: the partition has to {@link #stop}. */
        void failed(Throwable problem);

        /** It was paused, and nothing waits any more. */
        void resumed();
    }

    private final PartitionLoop loop;
    private final Owner owner;
    private final ArrayDeque<Work> deferred = new ArrayDeque<>();
    private boolean paused;
    private boolean stopped;
    private boolean flushing;
    /** What has paused and must wait for the flush under way. */
    private Runnable afterFlush;

    WorkOrder(PartitionLoop loop, Owner owner) {
        this.loop = loop;
        this.owner = owner;
    }

    boolean paused() {
        return paused;
    }

    boolean stopped() {
        return stopped;
    }

    boolean flushing() {
        return flushing;
    }

    void stop() {
        stopped = true;
    }

    void add(Runnable work) {
        add(work, () -> {});
    }

    void add(Runnable task, Runnable ifStopped) {
        add(new PlainWork(task, ifStopped));
    }

    void add(Work work) {
        if (paused) {
            deferred.add(work);
        } else {
            guarded(work);
        }
    }

    /** Before all that waits; only while paused. */
    void addFirst(Runnable task) {
        deferred.addFirst(new PlainWork(task, () -> {}));
    }

    private void guarded(Work work) {
        if (stopped) {
            work.refuse();
            return;
        }
        try {
            work.run();
        } catch (RuntimeException e) {
            owner.failed(e);
            work.refuse();
        }
    }

    /** Nothing runs here until {@code work} is done elsewhere; then {@code then}, then what came meanwhile. */
    void pause(Blocking work, Runnable then) {
        hold();
        onceFlushed(elsewhere(work, then));
    }

    /** Nothing runs here until something begun with {@link #elsewhere} is done. */
    void hold() {
        paused = true;
    }

    /** Now, or as soon as the flush under way is done. */
    void onceFlushed(Runnable start) {
        if (flushing) {
            afterFlush = start;
        } else {
            start.run();
        }
    }

    /** Starts {@code work} on a thread that may block; the partition, paused till then, resumes with {@code then}. */
    Runnable elsewhere(Blocking work, Runnable then) {
        return () -> beside(work, problem -> resume(problem, then));
    }

    /** Done elsewhere once the flush under way is done, also after {@link #stop}; {@code then} hears what it threw, or null. */
    void last(Blocking work, Consumer<Throwable> then) {
        onceFlushed(() -> beside(work, then));
    }

    private void beside(Blocking work, Consumer<Throwable> then) {
        loop.ports().blocking().execute(() -> {
            Throwable problem = problemOf(work);
            loop.post(() -> then.accept(problem));
        });
    }

    /** A sync beside further work; {@code then} hears what it has thrown, or null. One at a time. */
    void flush(Blocking sync, Consumer<Throwable> then) {
        flushing = true;
        beside(sync, problem -> flushed(problem, then));
    }

    private void flushed(Throwable problem, Consumer<Throwable> then) {
        flushing = false;
        then.accept(problem);
        Runnable waiting = afterFlush;
        afterFlush = null;
        if (waiting != null) {
            waiting.run();
        }
    }

    private static Throwable problemOf(Blocking work) {
        try {
            work.run();
            return null;
        } catch (IOException | RuntimeException e) {
            return e;
        }
    }

    private void resume(Throwable problem, Runnable then) {
        paused = false;
        if (problem != null) {
            owner.failed(problem);
        } else {
            guarded(new PlainWork(then, () -> {}));
        }
        while (!paused && !deferred.isEmpty()) {
            guarded(deferred.poll());
        }
        if (!paused && !stopped) {
            owner.resumed();
        }
    }
}
