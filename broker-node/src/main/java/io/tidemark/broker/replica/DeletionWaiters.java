package io.tidemark.broker.replica;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Deletions of records that wait until the log starts as late on every replica that is there (R3.26); few and rare. */
final class DeletionWaiters {
    /** @param required offset that the low watermark must reach */
    private record Waiter(long token, long required, long deadlineMs) {}

    private final List<Waiter> waiters = new ArrayList<>();

    void await(long token, long required, long deadlineMs) {
        waiters.add(new Waiter(token, required, deadlineMs));
    }

    boolean isEmpty() {
        return waiters.isEmpty();
    }

    void reached(long lowWatermark, Effects effects) {
        for (Iterator<Waiter> it = waiters.iterator(); it.hasNext(); ) {
            Waiter waiter = it.next();
            if (waiter.required() <= lowWatermark) {
                it.remove();
                effects.add(new Effect.RecordsDeleted(waiter.token(), ReplicaError.NONE, lowWatermark));
            }
        }
    }

    void expire(long nowMs, Effects effects) {
        for (Iterator<Waiter> it = waiters.iterator(); it.hasNext(); ) {
            Waiter waiter = it.next();
            if (waiter.deadlineMs() <= nowMs) {
                it.remove();
                effects.add(new Effect.RecordsDeleted(waiter.token(), ReplicaError.REQUEST_TIMED_OUT, -1));
            }
        }
    }

    /** This replica does not lead any more: what the others have deleted is the next leader's to see. */
    void abandon(Effects effects) {
        for (Waiter waiter : waiters) {
            effects.add(new Effect.RecordsDeleted(waiter.token(), ReplicaError.NOT_LEADER_OR_FOLLOWER, -1));
        }
        waiters.clear();
    }

    long nextDeadlineMs() {
        long next = Long.MAX_VALUE;
        for (Waiter waiter : waiters) {
            next = Math.min(next, waiter.deadlineMs());
        }
        return next;
    }
}
