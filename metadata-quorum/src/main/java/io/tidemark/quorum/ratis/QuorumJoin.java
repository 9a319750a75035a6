package io.tidemark.quorum.ratis;

import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.metadata.QuorumQuery.MembersAnswer;
import io.tidemark.quorum.files.RecoveryFile;
import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a controller with an empty log comes into a quorum that works. Its vote must not count before it has what it may
 * once have acknowledged: a member that lost its log and voted could help one to the leadership that lacks committed
 * entries. So it is no member while it has no log. Before its server starts it leaves, if it was a member; once the
 * server listens, as one that belongs to no group, the acting controller brings it up to date and takes it in.
 *
 * <p>Both steps are tried until they succeed: the node is not ready meanwhile. A kill at any moment leads here again.
 */
final class QuorumJoin {
    private static final Logger LOG = LoggerFactory.getLogger(QuorumJoin.class);

    /** How long one look for an acting controller takes, milliseconds. */
    private static final long PATIENCE_MS = 5_000;

    private final QuorumSettings settings;
    private final QuorumVoter self;
    private final List<QuorumVoter> others;

    QuorumJoin(QuorumSettings settings) throws IOException {
        this.settings = settings;
        this.self = settings.self();
        this.others =
                settings.voters().stream().filter(voter -> !voter.equals(self)).toList();
        if (others.isEmpty()) {
            throw new IOException("controller " + self.id() + " is to join a quorum and knows no other controller");
        }
    }

    private interface Step {
        void take(QuorumAdmin quorum) throws IOException;
    }

    /** Before the server starts. */
    void leave() {
        untilDone("leaving the quorum before it joins with an empty log", quorum -> {
            MembersAnswer members = quorum.members();
            RecoveryFile.write(RecoveryFile.in(settings.directory()), members.recovery());
            if (QuorumAdmin.has(members, self.id())) {
                quorum.remove(self.id(), false);
                LOG.info("controller {} was a member and lost its log: it has left, to join anew", self.id());
            }
        });
    }

    /** When the server listens; returns once it is a member that has the log. */
    void enter() {
        untilDone("joining the quorum", quorum -> quorum.add(self));
        LOG.info("controller {} has joined the quorum", self.id());
    }

    private void untilDone(String what, Step step) {
        String said = "";
        while (true) {
            try (QuorumAdmin quorum = new QuorumAdmin(others, settings.clusterId(), settings.rpc(), PATIENCE_MS)) {
                step.take(quorum);
                return;
            } catch (IOException e) {
                // Each new reason once: this may go on for as long as the others are away.
                if (!String.valueOf(e.getMessage()).equals(said)) {
                    said = String.valueOf(e.getMessage());
                    LOG.warn("{}: {}; trying on", what, said);
                }
            }
        }
    }
}
