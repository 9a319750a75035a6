package io.tidemark.quorum.core;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.BalanceLeaders;
import io.tidemark.model.metadata.QuorumCommand.BalanceLeaders.Balance;
import java.util.Optional;

/**
 * Elections too many for one entry, of which some are still owed (R7.22, R7.35): after a broker came back to a cluster
 * that was wholly gone, or where unclean elections are allowed now. A controller that takes over in the middle finds them
 * in the image: a partition without a leader that somebody may lead.
 *
 * <p>Not safe for use by several threads; its owner serializes the calls.
 */
public final class ElectionRemainder {
    private static final BalanceLeaders REST = new BalanceLeaders(Balance.LEADERLESS);

    private boolean suspected;
    /** The last entry before the latest decision on the matter: the image has to be beyond it to tell. */
    private long after = -1;

    /** A term as the acting controller begins. */
    public void activate() {
        suspected = true;
        after = -1;
    }

    /** A command was decided on that image. */
    public void decided(QuorumCommand command, Decision decision, ClusterImage pending) {
        if (decision.electionsOwed() || command.equals(REST)) {
            suspected = true;
            after = pending.index();
        }
    }

    /** The command that goes on with what is owed, if anything is; costs a walk over what has no leader only if that may be. */
    public Optional<BalanceLeaders> due(ClusterImage applied) {
        if (!suspected || applied.index() <= after) {
            return Optional.empty();
        }
        suspected = PartitionMoves.electable(applied);
        return suspected ? Optional.of(REST) : Optional.empty();
    }
}
