package io.tidemark.broker.sim;

import io.tidemark.broker.runtime.QuorumPort;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * I15: a leader has one change of an ISR under way per partition and leader epoch, or the cancel of one. One that newer
 * metadata has overtaken does not count: the controller refuses it for its partition epoch.
 */
final class OneOutstanding implements QuorumPort {
    private record Change(PartitionId id, int leaderEpoch, int partitionEpoch, boolean cancel) {}

    private final Process process;
    private final QuorumPort port;
    private final Checks checks;
    private final Set<Change> underWay = new HashSet<>();

    OneOutstanding(Process process, QuorumPort port, Checks checks) {
        this.process = process;
        this.port = port;
        this.checks = checks;
    }

    @Override
    public CompletionStage<QuorumReply.Answer> submit(QuorumCommand command) {
        return port.submit(command);
    }

    @Override
    public CompletionStage<QuorumReply.Answer> attempt(QuorumCommand command) {
        if (!(command instanceof QuorumCommand.AlterPartition alter)) {
            return port.attempt(command);
        }
        Set<Change> mine = new HashSet<>();
        for (QuorumCommand.IsrProposal proposal : alter.partitions()) {
            Change change = new Change(
                    proposal.id(),
                    proposal.leaderEpoch(),
                    proposal.partitionEpoch(),
                    proposal.kind() == QuorumCommand.IsrProposal.Kind.CANCEL);
            mine.add(change);
            if (!underWay.add(change)) {
                checks.breached(new Violation("I15", "broker " + process.id() + " sends a second " + proposal));
            }
        }
        return port.attempt(command).whenComplete((answer, failure) -> underWay.removeAll(mine));
    }
}
