package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.codec.RecordCodec;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.QuorumCommand.AlterPartition;
import io.tidemark.model.metadata.QuorumCommand.IsrMember;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal.Kind;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.QuorumReply.AlteredPartitions.Result;
import io.tidemark.quorum.core.TestCluster.Return;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** R7.50-R7.55: the checks of AlterPartition, and which of two failed ones is told. */
class IsrChangesTest {
    private TestCluster c;

    @BeforeEach
    void leaderOneAtEpochOneWithTwoInSync() {
        c = TestCluster.baseline(4, 2, false);
        c.fence(2);
        c.fence(3);
        c.comeBack(2, Return.CLEAN);
        c.comeBack(3, Return.CLEAN);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=2 ISR=[1, 4] ELR=[] LKE=[]}");
    }

    private List<IsrMember> members(Integer... ids) {
        return Arrays.stream(ids).map(id -> new IsrMember(id, c.epoch(id))).toList();
    }

    private IsrProposal proposal(
            PartitionId id, int leaderEpoch, int partitionEpoch, boolean recovering, Integer... isr) {
        return new IsrProposal(id, leaderEpoch, partitionEpoch, members(isr), recovering, Kind.CHANGE, Floor.NONE, "");
    }

    private void unchangedAfter(ErrorCode answer, ErrorCode expected) {
        assertThat(answer).isEqualTo(expected);
        assertThat(c.lastRecords).isEmpty();
    }

    @Test
    void rowsForWhichTheEntryHasNoRoomAreAskedForAgain() {
        for (String topic : List.of("many-1", "many-2", "many-3")) {
            c.createTopic(topic, Collections.nCopies(10_000, List.of(1, 4)), Map.of());
        }
        List<IsrProposal> proposals = Stream.of("many-1", "many-2", "many-3")
                .flatMap(topic -> c.image.topic(topic).partitions().stream())
                .map(state -> proposal(state.id(), 0, 0, false, 1))
                .toList();
        QuorumReply reply = c.run(new AlterPartition(1, c.epoch(1), proposals));
        List<ErrorCode> errors = ((QuorumReply.AlteredPartitions) reply)
                .results().stream().map(Result::error).toList();
        assertThat(c.lastRecords).hasSize(20_000);
        assertThat(errors.subList(0, 20_000)).containsOnly(ErrorCode.NONE);
        assertThat(errors.subList(20_000, 30_000)).containsOnly(ErrorCode.UNFINISHED);
        assertThat(RecordCodec.encode(c.entries.get(c.entries.size() - 1))).hasSizeLessThan(4 * 1024 * 1024);
        c.run(new AlterPartition(1, c.epoch(1), proposals.subList(20_000, 30_000)));
        assertThat(c.image.topic("many-3").partitions())
                .allMatch(state -> state.isr().equals(List.of(1)));
    }

    @Test
    void anotherIncarnationIsRefusedAsAWhole() {
        IsrProposal any = proposal(c.partition(), 0, 2, false, 1, 2, 4);
        for (AlterPartition command :
                List.of(new AlterPartition(1, c.epoch(1) - 1, List.of(any)), new AlterPartition(9, 1, List.of(any)))) {
            assertThat(c.run(command))
                    .isInstanceOfSatisfying(
                            QuorumReply.Refused.class,
                            refused -> assertThat(refused.error()).isEqualTo(ErrorCode.STALE_BROKER_EPOCH));
            assertThat(c.lastRecords).isEmpty();
        }
    }

    @Test
    void theFirstFailedCheckIsTold() {
        PartitionId noTopic = new PartitionId(new TopicId(4, 4), 0);
        PartitionId noPartition = new PartitionId(c.topicId("t"), 1);
        unchangedAfter(c.propose(1, proposal(noTopic, 9, 9, true)).error(), ErrorCode.UNKNOWN_TOPIC_ID);
        unchangedAfter(
                c.propose(1, proposal(new PartitionId(TopicId.ZERO, 0), 9, 9, true))
                        .error(),
                ErrorCode.UNKNOWN_TOPIC_ID);
        unchangedAfter(c.propose(1, proposal(noPartition, 9, 9, true)).error(), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
        unchangedAfter(c.alter(1, 1, 2, 2), ErrorCode.NOT_CONTROLLER);
        unchangedAfter(c.alter(1, 0, 3, 2), ErrorCode.NOT_CONTROLLER);
        unchangedAfter(c.alter(2, 0, 3, 2), ErrorCode.NOT_CONTROLLER);
        unchangedAfter(c.alter(2, 0, 1, 2), ErrorCode.INVALID_REQUEST);
        unchangedAfter(c.alter(1, 0, 1, 2), ErrorCode.INVALID_UPDATE_VERSION);
        unchangedAfter(c.alter(1, 0, 2), ErrorCode.INVALID_REQUEST);
        unchangedAfter(c.alter(1, 0, 2, 1, 1), ErrorCode.INVALID_REQUEST);
        unchangedAfter(c.alter(1, 0, 2, 1, 9), ErrorCode.INVALID_REQUEST);
        unchangedAfter(c.alter(1, 0, 2, 2, 4), ErrorCode.INVALID_REQUEST);
    }

    @Test
    void anOlderLeaderEpochIsFencedBeforeTheSenderIsLookedAt() {
        c.fence(1);
        assertThat(c.m()).isEqualTo("M{L=4 LE=1 PE=3 ISR=[4] ELR=[1] LKE=[]}");
        unchangedAfter(c.alter(1, 0, 2, 1), ErrorCode.FENCED_LEADER_EPOCH);
        unchangedAfter(c.alter(1, 0, 4, 1), ErrorCode.NOT_CONTROLLER);
    }

    @Test
    void recoveryIsDeclaredByALeaderAloneAndNeverBegunByOne() {
        unchangedAfter(c.propose(1, proposal(c.partition(), 0, 2, true, 1)).error(), ErrorCode.INVALID_REQUEST);
        TestCluster unclean = TestCluster.baseline(2, 1, true);
        unclean.fence(2);
        unclean.comeBack(2, Return.UNCLEAN);
        unclean.fence(1);
        unclean.comeBack(1, Return.CLEAN);
        c = unclean;
        assertThat(c.m()).isEqualTo("M{L=2 LE=1 PE=2 ISR=[2] ELR=[] LKE=[] RECOVERING}");
        unchangedAfter(c.propose(2, proposal(c.partition(), 1, 2, true, 2, 1)).error(), ErrorCode.INVALID_REQUEST);
        unchangedAfter(c.propose(2, proposal(c.partition(), 1, 2, true, 2)).error(), ErrorCode.NONE);
        Result recovered = c.propose(2, proposal(c.partition(), 1, 2, false, 2, 1));
        assertThat(recovered).isEqualTo(new Result(c.partition(), ErrorCode.NONE, 2, 1, List.of(2, 1), false, 3));
        assertThat(c.m()).isEqualTo("M{L=2 LE=1 PE=3 ISR=[2, 1] ELR=[] LKE=[]}");
    }

    @Test
    void eachReasonToBeIneligible() {
        c.shutDown(2);
        unchangedAfter(c.alter(1, 0, 2, 1, 4, 2), ErrorCode.INELIGIBLE_REPLICA);
        assertThat(c.lastCause.reason()).contains("broker 2 is shutting down");
        c.fence(3);
        unchangedAfter(c.alter(1, 0, 2, 1, 4, 3), ErrorCode.INELIGIBLE_REPLICA);
        assertThat(c.lastCause.reason()).contains("broker 3 is fenced");
        c.comeBack(3, Return.CLEAN);
        List<IsrMember> older =
                List.of(new IsrMember(1, c.epoch(1)), new IsrMember(4, -1), new IsrMember(3, c.epoch(3) - 1));
        unchangedAfter(c.propose(1, 0, 2, older, Kind.CHANGE), ErrorCode.INELIGIBLE_REPLICA);
        List<IsrMember> unknownEpochs = List.of(new IsrMember(1, -1), new IsrMember(4, -1), new IsrMember(3, -1));
        assertThat(c.propose(1, 0, 2, unknownEpochs, Kind.CHANGE)).isEqualTo(ErrorCode.NONE);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=3 ISR=[1, 4, 3] ELR=[] LKE=[]}");
    }

    @Test
    void nothingToChangeIsASuccessAtTheSamePartitionEpoch() {
        Result same = c.propose(1, proposal(c.partition(), 0, 2, false, 4, 1));
        assertThat(same).isEqualTo(new Result(c.partition(), ErrorCode.NONE, 1, 0, List.of(1, 4), false, 2));
        assertThat(c.lastRecords).isEmpty();
    }

    @Test
    void aReportAndACancelKeepTheIsrAndMoveThePartitionEpoch() {
        for (Kind kind : List.of(Kind.REPORT, Kind.CANCEL)) {
            int pe = c.state().partitionEpoch();
            unchangedAfter(c.propose(1, 0, pe - 1, members(1, 4), kind), ErrorCode.INVALID_UPDATE_VERSION);
            unchangedAfter(c.propose(1, 0, pe, members(1, 4, 2), kind), ErrorCode.INVALID_REQUEST);
            unchangedAfter(c.propose(1, 0, pe, members(1), kind), ErrorCode.INVALID_REQUEST);
            assertThat(c.propose(1, 0, pe, members(1, 4), kind)).isEqualTo(ErrorCode.NONE);
            assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=" + (pe + 1) + " ISR=[1, 4] ELR=[] LKE=[]}");
        }
    }

    @Test
    void rowsAreJudgedOneByOneAndARepeatedPartitionByWhatTheFirstRowMadeOfIt() {
        c.createTopic("u", List.of(List.of(1, 2)), java.util.Map.of());
        PartitionId other = new PartitionId(c.topicId("u"), 0);
        QuorumReply reply = c.run(new AlterPartition(
                1,
                c.epoch(1),
                List.of(
                        proposal(c.partition(), 0, 2, false, 1, 4, 2),
                        proposal(other, 7, 0, false, 1),
                        proposal(c.partition(), 0, 2, false, 1, 4, 3),
                        proposal(c.partition(), 0, 3, false, 1, 4, 2, 3),
                        proposal(other, 0, 0, false, 1))));
        assertThat(((QuorumReply.AlteredPartitions) reply).results())
                .extracting(Result::error)
                .containsExactly(
                        ErrorCode.NONE,
                        ErrorCode.NOT_CONTROLLER,
                        ErrorCode.INVALID_UPDATE_VERSION,
                        ErrorCode.NONE,
                        ErrorCode.NONE);
        assertThat(c.m()).isEqualTo("M{L=1 LE=0 PE=4 ISR=[1, 4, 2, 3] ELR=[] LKE=[]}");
        assertThat(c.image.partition(other).toString()).isEqualTo("M{L=1 LE=0 PE=1 ISR=[1] ELR=[] LKE=[]}");
    }
}
