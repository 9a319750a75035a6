package io.tidemark.quorum.core;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.MetadataEntry.Cause;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand.BalanceLeaders;
import io.tidemark.model.metadata.QuorumCommand.BalanceLeaders.Balance;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * Elections from time to time: leadership back to the first replica where that can lead (R7.71), and to anybody where
 * nobody leads and the topic allows it (R7.72). At most {@link #MAX_ELECTIONS} at a time, so that no entry becomes large;
 * the next pass finds the rest. Besides, what is left of very many elections that something else led to ({@link
 * ElectionRemainder}).
 */
public final class LeaderBalance {
    /** Elections of one pass. */
    public static final int MAX_ELECTIONS = 1_000;

    private LeaderBalance() {}

    static Decision decide(ClusterImage image, BalanceLeaders command) {
        return decide(image, command, EntryBound.USUAL);
    }

    /** @param most elections of one entry, where it goes on with those that another had no room for */
    static Decision decide(ClusterImage image, BalanceLeaders command, EntryBound most) {
        if (command.kind() == Balance.LEADERLESS) {
            PartitionMoves.Elections elections = PartitionMoves.electLeaderless(image, most);
            Cause cause = Causes.controller("BalanceLeaders", "the rest of very many elections");
            return Decision.of(elections.changes(), new QuorumReply.Done(), cause)
                    .owingElections(!elections.whole());
        }
        String reason = command.kind() == Balance.PREFERRED
                ? "leadership back to the first replica"
                : "nobody led, and unclean elections are allowed";
        return Decision.of(
                changes(image, command.kind()), new QuorumReply.Done(), Causes.controller("BalanceLeaders", reason));
    }

    /**
     * How many partitions such a command, of one of the two kinds that come from time to time, would change now; never more than {@link #MAX_ELECTIONS}, which is to say that
     * another pass may find more. Costs a walk over the cluster.
     */
    public static int wanting(ClusterImage image, Balance kind) {
        return changes(image, kind).size();
    }

    private static List<PartitionChanged> changes(ClusterImage image, Balance kind) {
        List<PartitionChanged> changes = new ArrayList<>();
        if (kind == Balance.UNCLEAN) {
            List<PartitionId> leaderless = new ArrayList<>();
            image.leaderless().forEach(leaderless::add);
            Collections.sort(leaderless);
            for (PartitionId id : leaderless) {
                LeaderElection.Mode mode = RecoveryStrategy.of(image, id);
                if (mode != LeaderElection.Mode.ONLINE) {
                    elect(image, image.partition(id), mode, changes);
                }
            }
        } else {
            List<TopicState> topics = new ArrayList<>(image.topics().values());
            topics.sort(Comparator.comparing(TopicState::name));
            for (TopicState topic : topics) {
                for (PartitionState state : topic.partitions()) {
                    if (state.leader() != state.replicas().get(0)) {
                        elect(image, state, LeaderElection.Mode.PREFERRED, changes);
                    }
                }
            }
        }
        return changes;
    }

    private static void elect(
            ClusterImage image, PartitionState state, LeaderElection.Mode mode, List<PartitionChanged> changes) {
        if (changes.size() < MAX_ELECTIONS) {
            new PartitionChange(state, broker -> PartitionMoves.active(image, broker))
                    .mode(mode)
                    .build()
                    .ifPresent(changes::add);
        }
    }
}
