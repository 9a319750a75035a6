package io.tidemark.broker.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.AlterPartition;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.QuorumReply.AlteredPartitions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Proposals of one moment travel together, but never more than an entry has room for. */
class AlterPartitionSenderTest {
    private static final TopicId TOPIC = new TopicId(1, 2);

    private final List<AlterPartition> commands = new ArrayList<>();
    private final List<CompletableFuture<QuorumReply.Answer>> answers = new ArrayList<>();
    private final List<Runnable> gathered = new ArrayList<>();
    private final Map<Long, ReplicaEvent> answered = new HashMap<>();

    private final AlterPartitionSender sender = new AlterPartitionSender(
            1,
            () -> 7,
            new QuorumPort() {
                @Override
                public CompletionStage<QuorumReply.Answer> submit(QuorumCommand command) {
                    throw new AssertionError("each attempt is one of the partition's own");
                }

                @Override
                public CompletionStage<QuorumReply.Answer> attempt(QuorumCommand command) {
                    commands.add((AlterPartition) command);
                    answers.add(new CompletableFuture<>());
                    return answers.get(answers.size() - 1);
                }
            },
            gathered::add);

    private void send(int count) {
        for (int i = 0; i < count; i++) {
            long proposal = i;
            IsrProposal request = new IsrProposal(
                    new PartitionId(TOPIC, i), 0, i, List.of(), false, IsrProposal.Kind.CHANGE, Floor.NONE, "");
            sender.send(event -> answered.put(proposal, event), proposal, request);
        }
        List<Runnable> due = List.copyOf(gathered);
        gathered.clear();
        due.forEach(Runnable::run);
    }

    /** With a PE by which each row is known. */
    private void accept(int command) {
        answers.get(command)
                .complete(new QuorumReply.Answer(
                        command,
                        new AlteredPartitions(commands.get(command).partitions().stream()
                                .map(row -> new AlteredPartitions.Result(
                                        row.id(), ErrorCode.NONE, 1, 0, List.of(1), false, row.partitionEpoch() + 1))
                                .toList())));
    }

    @Test
    void veryManyAtOnceAreSeveralCommandsAndEachIsAnswered() {
        send(60_000);
        assertThat(commands)
                .hasSize(12)
                .allMatch(command -> command.partitions().size() == 5_000);
        for (int command = 0; command < commands.size(); command++) {
            accept(command);
        }
        assertThat(answered).hasSize(60_000);
        answered.forEach((proposal, event) -> assertThat(event)
                .isEqualTo(new ReplicaEvent.AlterAnswered(
                        proposal, ErrorCode.NONE, proposal / 5_000, 0, (int) (proposal + 1), List.of(1))));
    }

    @Test
    void whatBecomesOfOneCommandIsNoMatterForTheOthers() {
        send(AlterPartitionSender.PROPOSALS_PER_COMMAND + 1);
        assertThat(commands).hasSize(2);
        accept(1);
        assertThat(answered).containsOnlyKeys(5_000L);
        answers.get(0).completeExceptionally(new QuorumPort.OutcomeUnknownException("late", null));
        assertThat(answered).hasSize(5_001).containsEntry(0L, new ReplicaEvent.AlterUnknown(0));
    }

    @Test
    void thoseOfOneMomentAreOneCommand() {
        send(3);
        send(0);
        assertThat(commands).singleElement().satisfies(command -> {
            assertThat(command.partitions()).hasSize(3);
            assertThat(command.brokerEpoch()).isEqualTo(7);
        });
    }
}
