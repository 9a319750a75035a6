package io.tidemark.broker.replica;

import io.tidemark.model.Check;
import io.tidemark.model.metadata.PartitionState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the leader of one epoch knows, and all its parts look at: the log, the metadata acted on, the progress of each
 * follower, and the ISR as it stands.
 */
final class LeaderState {
    private final ReplicaSettings settings;
    private final LogView log;
    private final int leaderEpoch;
    /** Log end when this epoch was assumed: below it nothing of this epoch, at or above it only this epoch (R2.13). */
    private final long epochStart;

    private final Map<Integer, FollowerProgress> followers = new HashMap<>();
    private PartitionState partition;
    private Map<Integer, BrokerView> brokers;
    private IsrState isr;

    LeaderState(ReplicaSettings settings, LogView log, PartitionState partition, Map<Integer, BrokerView> brokers) {
        this.settings = settings;
        this.log = log;
        this.partition = partition;
        this.brokers = brokers;
        this.leaderEpoch = partition.leaderEpoch();
        Check.that(log.end() == log.stagedEnd(), "nothing is staged across epochs", log.end(), log.stagedEnd());
        this.epochStart = log.end();
        this.isr = new IsrState.Committed(partition.isr());
    }

    /**
     * R4.15 as restricted by B20: ends survive only a re-election into the very next epoch. {@code before} is what was known
     * in the leadership given up with it, or null.
     */
    void adoptFollowers(LeaderState before, long nowMs) {
        boolean reelected = before != null && leaderEpoch == before.leaderEpoch + 1;
        for (int replica : partition.replicas()) {
            if (replica == self()) {
                continue;
            }
            FollowerProgress known = reelected ? before.followers.get(replica) : null;
            FollowerProgress progress = known != null ? known : new FollowerProgress(replica);
            boolean member = partition.isr().contains(replica);
            if (known != null) {
                progress.reelected(member, log.end(), nowMs);
            } else {
                progress.reset(member, nowMs);
            }
            followers.put(replica, progress);
        }
    }

    ReplicaSettings settings() {
        return settings;
    }

    int self() {
        return settings.self();
    }

    LogView log() {
        return log;
    }

    int leaderEpoch() {
        return leaderEpoch;
    }

    long epochStart() {
        return epochStart;
    }

    // ---- metadata ----

    /** Of the metadata acted on. */
    PartitionState partition() {
        return partition;
    }

    /** Of the metadata acted on; without those that are not registered. */
    Map<Integer, BrokerView> brokers() {
        return brokers;
    }

    void brokers(Map<Integer, BrokerView> views) {
        brokers = views;
    }

    /** R2.42: a higher PE of the same epoch replaces whatever is pending. */
    void committed(PartitionState newer, long nowMs) {
        List<Integer> before = isr.isr();
        partition = newer;
        isr = new IsrState.Committed(newer.isr());
        alignFollowers();
        for (int member : newer.isr()) {
            if (member != self() && !before.contains(member)) {
                // It may have joined far behind our end, at a mark that the min ISR holds back (R2.13).
                followers.get(member).joined(nowMs);
            }
        }
    }

    /** R2.44: add what is missing, then remove what has gone. */
    private void alignFollowers() {
        for (int replica : partition.replicas()) {
            if (replica != self()) {
                followers.computeIfAbsent(replica, FollowerProgress::new);
            }
        }
        followers.keySet().removeIf(replica -> !partition.replicas().contains(replica));
    }

    // ---- ISR ----

    IsrState isr() {
        return isr;
    }

    /** By {@link IsrProposals} alone. */
    void isr(IsrState newer) {
        isr = newer;
    }

    boolean underMinIsr() {
        return isr.isr().size() < partition.minIsr();
    }

    // ---- followers ----

    /** What is known of each other replica, by its id. */
    Map<Integer, FollowerProgress> followers() {
        return followers;
    }

    /** R4.13. */
    boolean caughtUp(FollowerProgress follower, long nowMs) {
        return follower.caughtUp(log.end(), nowMs, settings.lagTimeMaxMs());
    }

    /** Whether the mark waits for it: a member, one that may have become one, or one that waits to. */
    boolean holdsMark(FollowerProgress follower, long nowMs) {
        return isr.inMaximalIsr(follower.id) || waitsToJoin(follower, nowMs);
    }

    /** R3.2: keeps up and may join; the mark waits for it, or it could never reach the mark. */
    private boolean waitsToJoin(FollowerProgress follower, long nowMs) {
        return caughtUp(follower, nowMs) && JoinRules.eligible(brokers.get(follower.id), follower);
    }

    /** What keeps a replica outside the ISR from being proposed for it (R2.11). */
    Explanation.Absence obstacle(FollowerProgress follower, Refusals refusals, long nowMs) {
        return JoinRules.obstacle(
                brokers.get(follower.id),
                follower,
                log.highWatermark(),
                epochStart,
                settings.lagTimeMaxMs(),
                refusals,
                nowMs);
    }
}
