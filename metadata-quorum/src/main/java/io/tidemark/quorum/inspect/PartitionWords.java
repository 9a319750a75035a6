package io.tidemark.quorum.inspect;

import io.tidemark.model.metadata.PartitionState;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** How a partition changed, as the second half of a sentence. */
final class PartitionWords {
    private final PartitionState before;
    private final PartitionState after;
    private final List<String> words = new ArrayList<>();

    private PartitionWords(PartitionState before, PartitionState after) {
        this.before = before;
        this.after = after;
    }

    /** The changes, with "; " between; both states are there. */
    static String change(PartitionState before, PartitionState after) {
        PartitionWords words = new PartitionWords(before, after);
        words.leader();
        words.list("ISR", before.isr(), after.isr());
        words.list("ELR", before.elr(), after.elr());
        words.list("last known leader", before.lastKnownElr(), after.lastKnownElr());
        words.list("replicas", before.replicas(), after.replicas());
        words.list("adding", before.adding(), after.adding());
        words.list("removing", before.removing(), after.removing());
        words.rest();
        return String.join("; ", words.words);
    }

    /** A state by itself. */
    static String state(PartitionState state) {
        String leader = state.hasLeader() ? "leader " + state.leader() : "no leader";
        return leader + ", epoch " + state.leaderEpoch() + "; ISR " + ids(state.isr())
                + (state.elr().isEmpty() ? "" : "; ELR " + ids(state.elr()))
                + "; replicas " + ids(state.replicas()) + "; min ISR " + state.minIsr()
                + "; partition epoch " + state.partitionEpoch() + (state.recovering() ? "; recovering" : "");
    }

    private void leader() {
        String epoch = ", epoch " + before.leaderEpoch() + " -> " + after.leaderEpoch();
        if (before.leader() != after.leader()) {
            words.add("leader " + leader(before) + " -> " + leader(after) + epoch);
        } else if (before.leaderEpoch() != after.leaderEpoch()) {
            words.add("leader " + leader(after) + " again" + epoch);
        }
        if (after.recovering() && !before.recovering()) {
            words.add("an unclean election: records may be lost");
        }
    }

    private static String leader(PartitionState state) {
        return state.hasLeader() ? Integer.toString(state.leader()) : "none";
    }

    private void list(String what, List<Integer> left, List<Integer> right) {
        if (!left.equals(right)) {
            words.add(what + " " + ids(left) + " -> " + ids(right));
        }
    }

    private void rest() {
        if (before.recovering() && !after.recovering()) {
            words.add("recovered");
        }
        if (before.minIsr() != after.minIsr()) {
            words.add("min ISR " + before.minIsr() + " -> " + after.minIsr());
        }
        if (!before.floor().equals(after.floor())) {
            words.add("floor " + RecordFields.of(before.floor()) + " -> " + RecordFields.of(after.floor()));
        }
        if (!before.unproven().equals(after.unproven())) {
            words.add("not known to hold all that was exposed: "
                    + ids(after.unproven().stream()
                            .map(report -> report.brokerId())
                            .toList()));
        }
        if (before.partitionEpoch() != after.partitionEpoch()) {
            words.add("partition epoch " + before.partitionEpoch() + " -> " + after.partitionEpoch());
        }
    }

    static String ids(List<Integer> ids) {
        return ids.isEmpty() ? "none" : ids.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
