package io.tidemark.broker.replica;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;

/** Produce requests of one leader epoch that wait for their write to return (acks 1) or for the high watermark (acks -1). */
final class ProduceWaiters {
    /** @param required the offset that must be reached, exclusive end of the append (R5.10) */
    private record Waiter(long token, long required, long baseOffset, long deadlineMs) {}

    private final ArrayDeque<Waiter> local = new ArrayDeque<>();
    /** In order of their offsets. */
    private final ArrayDeque<Waiter> replicated = new ArrayDeque<>();
    /** Duplicates, which wait for an older offset than appends that came before them; few and rare. */
    private final ArrayDeque<Waiter> duplicates = new ArrayDeque<>();
    /** At or before the earliest deadline of the replicated ones; monotonic milliseconds. */
    private long earliestMs = Long.MAX_VALUE;

    void awaitWrite(long token, long required, long baseOffset) {
        local.add(new Waiter(token, required, baseOffset, Long.MAX_VALUE));
    }

    void awaitMark(long token, long required, long baseOffset, long deadlineMs) {
        Waiter last = replicated.peekLast();
        ArrayDeque<Waiter> queue = last != null && last.required() > required ? duplicates : replicated;
        queue.add(new Waiter(token, required, baseOffset, deadlineMs));
        earliestMs = Math.min(earliestMs, deadlineMs);
    }

    void written(long end, long logStart, Effects effects) {
        while (!local.isEmpty() && local.peek().required() <= end) {
            Waiter waiter = local.poll();
            effects.add(
                    new Effect.ProduceAnswered(waiter.token(), ReplicaError.NONE, waiter.baseOffset(), logStart, null));
        }
    }

    /** R5.11: those the mark has reached get {@code verdict}, taken at this very check. */
    void markReached(long mark, long logStart, ReplicaError verdict, Effects effects) {
        while (!replicated.isEmpty() && replicated.peek().required() <= mark) {
            answer(replicated.poll(), logStart, verdict, effects);
        }
        for (Iterator<Waiter> it = duplicates.iterator(); it.hasNext(); ) {
            Waiter waiter = it.next();
            if (waiter.required() <= mark) {
                it.remove();
                answer(waiter, logStart, verdict, effects);
            }
        }
    }

    private static void answer(Waiter waiter, long logStart, ReplicaError error, Effects effects) {
        long base = error == ReplicaError.NONE ? waiter.baseOffset() : -1;
        effects.add(new Effect.ProduceAnswered(waiter.token(), error, base, logStart, null));
    }

    void expire(long nowMs, Effects effects) {
        if (nowMs < earliestMs) {
            return;
        }
        earliestMs = Long.MAX_VALUE;
        expire(replicated, nowMs, effects);
        expire(duplicates, nowMs, effects);
    }

    private void expire(ArrayDeque<Waiter> queue, long nowMs, Effects effects) {
        for (Iterator<Waiter> it = queue.iterator(); it.hasNext(); ) {
            Waiter waiter = it.next();
            if (waiter.deadlineMs() <= nowMs) {
                it.remove();
                effects.add(new Effect.ProduceAnswered(waiter.token(), ReplicaError.REQUEST_TIMED_OUT, -1, -1, null));
            } else {
                earliestMs = Math.min(earliestMs, waiter.deadlineMs());
            }
        }
    }

    /** The epoch of these appends is over: nobody can say whether they will stand (O15). */
    void abandon(Effects effects) {
        for (ArrayDeque<Waiter> queue : List.of(local, replicated, duplicates)) {
            for (Waiter waiter : queue) {
                effects.add(
                        new Effect.ProduceAnswered(waiter.token(), ReplicaError.NOT_LEADER_OR_FOLLOWER, -1, -1, null));
            }
            queue.clear();
        }
        earliestMs = Long.MAX_VALUE;
    }

    long nextDeadlineMs() {
        return earliestMs;
    }

    int size() {
        return local.size() + replicated.size() + duplicates.size();
    }
}
