package io.tidemark.broker.net;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.tidemark.broker.runtime.HostedLoop;
import io.tidemark.model.MonoTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * One network event loop with what lives on it: connections, and at most one {@link HostedLoop}. A turn runs the hosted
 * loop and then flushes the connections that were written to. Turns come after the reads of a connection, after
 * {@link #wake} (wake-ups in between are one) and at the hosted loop's deadline.
 */
public final class LoopHost implements HostedLoop.Waker {
    /** A connection that has something written and not flushed. */
    public interface Flushable {
        void flush();
    }

    private final EventLoop eventLoop;
    private final int index;
    private final FramePool frames;
    private final Consumer<Throwable> onFailure;
    private final Runnable wokenTurn = this::takeWokenTurn;
    private final Runnable timedTurn = this::takeTimedTurn;
    private final AtomicBoolean awake = new AtomicBoolean();
    private final List<Flushable> written = new ArrayList<>();
    private HostedLoop hosted;
    /** A read is being handled; the turn at its end serves every wake-up on the loop until then. */
    private boolean reading;

    private Future<?> timer;
    private MonoTime timerAt;

    LoopHost(EventLoop eventLoop, int index, Consumer<Throwable> onFailure) {
        this.eventLoop = eventLoop;
        this.index = index;
        this.frames = new FramePool(eventLoop::inEventLoop);
        this.onFailure = onFailure;
    }

    /** 0 .. loops - 1. */
    public int index() {
        return index;
    }

    /** Whether the calling thread is this loop's. */
    @Override
    public boolean inLoop() {
        return eventLoop.inEventLoop();
    }

    /** Runs the task on this loop, after what is queued there; a turn follows it. Any thread. */
    public void execute(Runnable task) {
        eventLoop.execute(() -> {
            try {
                task.run();
            } finally {
                wake();
            }
        });
    }

    /** Starts to drive {@code loop}; the first turn comes at once. Any thread, once. */
    public void host(HostedLoop loop) {
        eventLoop.execute(() -> {
            if (hosted != null) {
                throw new IllegalStateException("loop " + index + " hosts another already");
            }
            hosted = loop;
            wake();
        });
    }

    /** Asks for a turn soon. Any thread; cheap on the loop itself. */
    @Override
    public void wake() {
        if (eventLoop.inEventLoop() && reading) {
            return;
        }
        if (awake.compareAndSet(false, true)) {
            eventLoop.execute(wokenTurn);
        }
    }

    /** The clock that turns are given. */
    public static MonoTime now() {
        return new MonoTime(TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    }

    /** Netty's loop, for the other package that knows Netty. */
    public EventLoop eventLoop() {
        return eventLoop;
    }

    public FramePool frames() {
        return frames;
    }

    /** A connection of this loop begins to hand over what it read; {@link #readComplete} follows. Loop only. */
    public void readStarts() {
        reading = true;
    }

    /** Loop only. */
    public void readComplete() {
        reading = false;
        turn();
    }

    /** That connection is to be flushed at the end of the turn. Loop only; once per turn and connection. */
    public void written(Flushable connection) {
        written.add(connection);
        wake();
    }

    private void takeTimedTurn() {
        timer = null;
        turn();
    }

    private void takeWokenTurn() {
        if (awake.get()) {
            turn();
        }
    }

    private void turn() {
        awake.set(false);
        HostedLoop loop = hosted;
        if (loop != null) {
            try {
                loop.runOnce(now());
                arm(loop.nextDeadline());
            } catch (Throwable failure) {
                hosted = null;
                onFailure.accept(failure);
            }
        }
        for (int i = 0; i < written.size(); i++) {
            written.get(i).flush();
        }
        written.clear();
    }

    /** A timer that is early is left to fire: re-arming it at every turn would cost more than a turn without work. */
    private void arm(MonoTime deadline) {
        if (deadline == null || (timer != null && timerAt.compareTo(deadline) <= 0)) {
            return;
        }
        if (timer != null) {
            timer.cancel(false);
        }
        timerAt = deadline;
        timer = eventLoop.schedule(timedTurn, Math.max(1, deadline.since(now())), TimeUnit.MILLISECONDS);
    }
}
