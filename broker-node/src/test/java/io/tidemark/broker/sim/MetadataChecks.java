package io.tidemark.broker.sim;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What holds of the metadata after every entry: I5, I6, I7, I11, B21, and that all controllers have the same. */
final class MetadataChecks {
    private record Leadership(PartitionId id, int epoch) {}

    private final Map<Long, Long> digests = new HashMap<>();
    private final Map<Leadership, Integer> leaders = new HashMap<>();
    private long newest = -1;
    private int uncleanElections;

    /** Leaders chosen so far who were not known to hold all that was acknowledged, whoever chose them. */
    int uncleanElections() {
        return uncleanElections;
    }

    /** True if nobody has applied that entry before. */
    boolean applied(
            int controller,
            ClusterImage before,
            ClusterImage after,
            long index,
            MetadataEntry entry,
            boolean effective) {
        Long known = digests.putIfAbsent(index, after.digest());
        if (known != null && known != after.digest()) {
            throw new Violation("images agree", "controller " + controller + " differs after entry " + index);
        }
        if (index <= newest) {
            return false;
        }
        newest = index;
        if (!effective && after.tip() != before.tip()) {
            throw new Violation("chain rule", "void entry " + index + " moved the tip");
        }
        if (effective) {
            for (PartitionId id : changed(before, after)) {
                PartitionState state = after.partition(id);
                if (state != null) {
                    check(before.partition(id), state);
                    joiners(before.partition(id), state, after);
                }
            }
        }
        return true;
    }

    /** Partitions that are not as before, for whatever reason: a configuration changes them too (B3). */
    List<PartitionId> changed(ClusterImage before, ClusterImage after) {
        List<PartitionId> ids = new ArrayList<>();
        for (TopicState topic : after.topics().values()) {
            for (PartitionState state : topic.partitions()) {
                if (state != before.partition(state.id())) {
                    ids.add(state.id());
                }
            }
        }
        return ids;
    }

    /** Who comes into an ISR is there. */
    private static void joiners(PartitionState before, PartitionState state, ClusterImage after) {
        for (int member : state.isr()) {
            BrokerState broker = after.broker(member);
            if (before != null && !before.isr().contains(member) && (broker == null || !broker.active())) {
                throw new Violation("joiners", "member " + member + " of " + state + " is not there: " + broker);
            }
        }
    }

    private void check(PartitionState before, PartitionState state) {
        if (!Collections.disjoint(state.isr(), state.elr())) {
            throw new Violation("I5", "ISR and ELR share a member: " + state);
        }
        if (!state.replicas().containsAll(state.isr()) || !state.replicas().containsAll(state.elr())) {
            throw new Violation("members", "a member is no replica: " + state + " of " + state.replicas());
        }
        if (state.hasLeader() && !state.isr().contains(state.leader())) {
            throw new Violation("I11", "the leader is not in its ISR: " + state);
        }
        if (state.isr().size() >= state.minIsr() && !state.elr().isEmpty()) {
            throw new Violation("B21", "an ISR at the min ISR of " + state.minIsr() + " has an ELR: " + state);
        }
        if (before != null
                && (state.partitionEpoch() <= before.partitionEpoch() || state.leaderEpoch() < before.leaderEpoch())) {
            throw new Violation("I6", state + " after " + before);
        }
        if (state.recovering() && (before == null || !before.recovering())) {
            uncleanElections++;
        }
        if (state.hasLeader()) {
            Integer other = leaders.putIfAbsent(new Leadership(state.id(), state.leaderEpoch()), state.leader());
            if (other != null && other != state.leader()) {
                throw new Violation(
                        "I7", "brokers " + other + " and " + state.leader() + " lead in one epoch: " + state);
            }
        }
    }
}
