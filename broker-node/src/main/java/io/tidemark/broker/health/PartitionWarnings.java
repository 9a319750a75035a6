package io.tidemark.broker.health;

import io.tidemark.broker.replica.Explanation;
import java.util.ArrayList;
import java.util.List;

/** Early warnings of partitions, by kind. They are for what lasts: all of it happens for moments on a cluster that is well. */
final class PartitionWarnings {
    /** A mark that followers acknowledge moves many times within it. */
    static final long FROZEN_MS = 5_000;
    /** The controllers answer a change within milliseconds, and a few seconds after a failure. */
    static final long PENDING_MS = 5_000;

    private final long lagLimitMs;
    private final List<String> frozen = new ArrayList<>();
    private final List<String> pending = new ArrayList<>();
    private final List<String> behind = new ArrayList<>();

    /** @param lagLimitMs after which a member that is behind leaves the ISR, milliseconds */
    PartitionWarnings(long lagLimitMs) {
        this.lagLimitMs = lagLimitMs;
    }

    /** What its leader knows. */
    void leader(String name, Explanation why) {
        Explanation.Leadership leadership = why.leadership();
        if (leadership.mark().hold() != Explanation.Hold.NOTHING
                && leadership.mark().standsForMs() > FROZEN_MS) {
            frozen.add(name + ": " + ExplanationText.mark(why, leadership));
        }
        if (leadership.pending() != null && leadership.pending().ageMs() > PENDING_MS) {
            pending.add(name + ": " + ExplanationText.pending(leadership.pending()));
        }
        for (Explanation.Follower follower : leadership.followers()) {
            if (follower.leavesInMs() < lagLimitMs / 2) {
                behind.add(name + ": " + ExplanationText.follower(why, follower));
            }
        }
    }

    void addAll(PartitionWarnings other) {
        frozen.addAll(other.frozen);
        pending.addAll(other.pending);
        behind.addAll(other.behind);
    }

    List<List<String>> kinds() {
        return List.of(frozen, pending, behind);
    }
}
