package io.tidemark.quorum.core;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand.BalanceLeaders;
import io.tidemark.model.metadata.QuorumCommand.BalanceLeaders.Balance;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Elections from time to time: leadership back to the first replica where that can lead (R7.71), and to anybody where
 * nobody leads and the topic allows it (R7.72). At most {@link #MAX_ELECTIONS} at a time, so that no entry becomes large;
 * the next pass finds the rest.
 */
public final class LeaderBalance {
    /** Elections of one pass. */
    public static final int MAX_ELECTIONS = 1_000;

    private LeaderBalance() {}

    static Decision decide(ClusterImage image, BalanceLeaders command) {
        List<PartitionChanged> changes = new ArrayList<>();
        LeaderElection.Mode mode =
                command.kind() == Balance.PREFERRED ? LeaderElection.Mode.PREFERRED : LeaderElection.Mode.UNCLEAN;
        for (PartitionState state : wanting(image, command.kind(), MAX_ELECTIONS)) {
            new PartitionChange(state, broker -> PartitionMoves.active(image, broker))
                    .mode(mode)
                    .build()
                    .ifPresent(changes::add);
        }
        String reason = command.kind() == Balance.PREFERRED
                ? "leadership back to the first replica"
                : "nobody led, and unclean elections are allowed";
        return Decision.of(changes, new QuorumReply.Done(), Causes.controller("BalanceLeaders", reason));
    }

    /**
     * How many partitions such a command would change now; never more than {@link #MAX_ELECTIONS}, which is to say that
     * another pass may find more. Costs a walk over the cluster.
     */
    public static int wanting(ClusterImage image, Balance kind) {
        return wanting(image, kind, MAX_ELECTIONS).size();
    }

    /** In the order of partitions, as far as a topic goes. */
    private static List<PartitionState> wanting(ClusterImage image, Balance kind, int most) {
        List<PartitionState> found = new ArrayList<>();
        if (kind == Balance.UNCLEAN) {
            List<PartitionState> leaderless = new ArrayList<>();
            image.leaderless().forEach(id -> leaderless.add(image.partition(id)));
            leaderless.removeIf(state -> !mayBeLedUncleanly(image, state));
            leaderless.sort((left, right) -> left.id().compareTo(right.id()));
            return leaderless.subList(0, Math.min(most, leaderless.size()));
        }
        List<TopicState> topics = new ArrayList<>(image.topics().values());
        topics.sort((left, right) -> left.name().compareTo(right.name()));
        for (TopicState topic : topics) {
            for (PartitionState state : topic.partitions()) {
                if (found.size() == most) {
                    return Collections.unmodifiableList(found);
                }
                if (preferredMayLead(image, state)) {
                    found.add(state);
                }
            }
        }
        return found;
    }

    private static boolean preferredMayLead(ClusterImage image, PartitionState state) {
        int preferred = state.replicas().get(0);
        return state.leader() != preferred
                && PartitionMoves.active(image, preferred)
                && (state.isr().isEmpty() ? state.elr() : state.isr()).contains(preferred);
    }

    private static boolean mayBeLedUncleanly(ClusterImage image, PartitionState state) {
        return PartitionMoves.mode(image, state.id()) == LeaderElection.Mode.UNCLEAN
                && state.replicas().stream().anyMatch(replica -> PartitionMoves.active(image, replica));
    }
}
