package io.tidemark.broker.net;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * What the frames of all clients of a process may take together. Without it many clients with large requests at once use
 * up the direct memory, and then reading and writing of files fails too. Who gets nothing waits in a queue and is woken
 * when something comes back. Lest all wait for each other, each with a part of its frame, one of them at a time gets the
 * rest of its frame beyond the limit. Thread-safe.
 */
final class FrameBudget {
    /** For peers: they are few, and their frames have bounds of their own. */
    static final FrameBudget UNLIMITED = new FrameBudget(Long.MAX_VALUE, null);

    /** Somebody who was refused {@code bytes}; {@code retry} is told once, on any thread, from what he may take them. */
    record Waiter(int bytes, Consumer<FrameBudget> retry) {}

    private final long limit;
    /** What the one takes who goes beyond the limit; null if this is that. */
    private final FrameBudget favour;

    private final AtomicBoolean favoured = new AtomicBoolean();
    private final AtomicLong used = new AtomicLong();
    private final Queue<Waiter> waiting = new ConcurrentLinkedQueue<>();
    private Runnable onRelease = this::wakeNext;

    FrameBudget(long limitBytes) {
        this(limitBytes, new FrameBudget(Long.MAX_VALUE - 1, null));
        favour.onRelease = this::wakeNext;
    }

    private FrameBudget(long limitBytes, FrameBudget favour) {
        this.limit = limitBytes;
        this.favour = favour;
    }

    /** False, and nothing is taken, if that would exceed the limit. */
    boolean tryReserve(int bytes) {
        if (limit != Long.MAX_VALUE && used.addAndGet(bytes) > limit) {
            used.addAndGet(-bytes);
            return false;
        }
        return true;
    }

    /** Takes it in any case; for little. */
    void overdraw(int bytes) {
        if (limit != Long.MAX_VALUE) {
            used.addAndGet(bytes);
        }
    }

    void release(int bytes) {
        if (limit != Long.MAX_VALUE) {
            used.addAndGet(-bytes);
            onRelease.run();
        }
    }

    /** Runs the retry when there may be as much again. Who is then content calls {@link #wakeNext}. */
    void await(Waiter waiter) {
        waiting.add(waiter);
        wakeNext(); // what was released in between has woken nobody
    }

    /** The waiter is gone. */
    void forget(Waiter waiter) {
        waiting.remove(waiter);
        wakeNext();
    }

    /** The frame of the one who went beyond the limit is complete, or he is gone. */
    void favourEnds() {
        favoured.set(false);
        wakeNext();
    }

    /** The one who has waited longest may try again if there is as much as he needs, or if nobody is beyond the limit. */
    void wakeNext() {
        Waiter next = waiting.peek();
        if (next == null) {
            return;
        }
        if (used.get() + next.bytes <= limit) {
            if (waiting.remove(next)) {
                next.retry.accept(this);
            }
        } else if (favour.used() == 0 && favoured.compareAndSet(false, true)) {
            if (favour.used() == 0 && waiting.remove(next)) {
                next.retry.accept(favour);
            } else {
                favoured.set(false);
            }
        }
    }

    /** Whether somebody waits. */
    boolean exhausted() {
        return !waiting.isEmpty();
    }

    /** Bytes reserved now, those beyond the limit apart. */
    long used() {
        return used.get();
    }
}
