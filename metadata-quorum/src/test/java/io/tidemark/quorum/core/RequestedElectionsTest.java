package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand.ElectLeaders;
import io.tidemark.model.metadata.QuorumCommand.UnregisterBroker;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.QuorumReply.Rows;
import io.tidemark.quorum.core.TestCluster.Return;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** R7.70, R7.5: leaders are elected, and brokers forgotten, because somebody asks for it. */
class RequestedElectionsTest {
    private TestCluster c;

    @BeforeEach
    void threeBrokers() {
        c = TestCluster.baseline(3, 1, false);
    }

    private List<ErrorCode> elect(boolean unclean, PartitionId... ids) {
        return ((Rows) c.run(new ElectLeaders(Arrays.asList(ids), unclean, "client")))
                .rows().stream().map(Rows.Row::error).toList();
    }

    /** Everybody is there and in sync, and 2 leads. */
    private void led2() {
        c.fence(1);
        c.comeBack(1, Return.CLEAN);
        assertThat(c.alter(2, c.state().leaderEpoch(), c.state().partitionEpoch(), 1, 2, 3))
                .isEqualTo(ErrorCode.NONE);
        assertThat(c.state().leader()).isEqualTo(2);
    }

    @Test
    void leadershipGoesBackToTheFirstReplica() {
        led2();
        int epoch = c.state().leaderEpoch();
        assertThat(elect(false, c.partition())).containsExactly(ErrorCode.NONE);
        assertThat(c.state().leader()).isEqualTo(1);
        assertThat(c.state().leaderEpoch()).isEqualTo(epoch + 1);
        assertThat(c.state().isr()).containsExactlyInAnyOrder(1, 2, 3);
        assertThat(elect(false, c.partition())).containsExactly(ErrorCode.ELECTION_NOT_NEEDED);
        assertThat(c.lastRecords).isEmpty();
    }

    @Test
    void aFirstReplicaThatIsNotInSyncDoesNotLead() {
        c.fence(1);
        c.comeBack(1, Return.CLEAN);
        assertThat(elect(false, c.partition())).containsExactly(ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE);
        assertThat(c.state().leader()).isEqualTo(2);
    }

    @Test
    void anUncleanElectionIsForPartitionsWithoutALeader() {
        assertThat(elect(true, c.partition())).containsExactly(ErrorCode.ELECTION_NOT_NEEDED);
        c.fence(1);
        c.fence(2);
        c.fence(3);
        assertThat(elect(true, c.partition())).containsExactly(ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE);
        c.unfence(1);
        assertThat(c.state().leader()).isEqualTo(PartitionState.NO_LEADER);
        assertThat(elect(true, c.partition())).containsExactly(ErrorCode.NONE);
        assertThat(c.state().leader()).isEqualTo(1);
        assertThat(c.state().recovering()).isTrue();
    }

    @Test
    void rowsAreJudgedOneByOne() {
        led2();
        PartitionId unknown = new PartitionId(c.partition().topicId(), 7);
        assertThat(elect(false, unknown, c.partition(), c.partition()))
                .containsExactly(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.NONE, ErrorCode.INVALID_REQUEST);
    }

    @Test
    void aBrokerThatIsUnregisteredHoldsNothingMore() {
        assertThat(c.run(new UnregisterBroker(1, "client"))).isEqualTo(new QuorumReply.Done());
        assertThat(c.image.broker(1)).isNull();
        assertThat(c.state().leader()).isEqualTo(2);
        assertThat(c.state().isr()).doesNotContain(1);
        assertThat(c.run(new UnregisterBroker(1, "client")))
                .isInstanceOfSatisfying(
                        QuorumReply.Refused.class,
                        refused -> assertThat(refused.error()).isEqualTo(ErrorCode.BROKER_ID_NOT_REGISTERED));
        assertThat(c.register(1, Return.UNCLEAN)).isInstanceOf(QuorumReply.Registered.class);
    }

    @Test
    void aSeatInTheElrGoesWithItsBroker() {
        c.setTopicConfig("t", "min.insync.replicas", "3");
        c.fence(1);
        assertThat(c.state().elr()).containsExactly(1);
        c.run(new UnregisterBroker(1, "client"));
        assertThat(c.state().elr()).isEmpty();
    }

    /** A seat is no use while its holder is away (R7.30). */
    @Test
    void whatItLedGoesToNobodyWhoIsNotThere() {
        c.setTopicConfig("t", "min.insync.replicas", "2");
        c.setTopicConfig("t", "unclean.leader.election.enable", "false");
        c.fence(2, 3);
        assertThat(c.state().elr()).containsExactlyInAnyOrder(2, 3);
        c.run(new UnregisterBroker(1, "client"));
        assertThat(c.state().leader()).isEqualTo(-1);
        c.unfence(3);
        assertThat(c.state().leader()).isEqualTo(3);
    }
}
