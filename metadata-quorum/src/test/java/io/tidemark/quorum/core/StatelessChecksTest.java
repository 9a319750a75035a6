package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is refused without an entry, and that deciding it all the same gives the same answer and no record. */
class StatelessChecksTest {
    private final TestCluster c = TestCluster.baseline(1, 1, false);

    private void refused(QuorumCommand command, ErrorCode error) {
        QuorumReply reply = StatelessChecks.refuse(command, TestCluster.SETTINGS);
        assertThat(reply)
                .isInstanceOfSatisfying(
                        QuorumReply.Refused.class,
                        refused -> assertThat(refused.error()).isEqualTo(error));
        Decision decision = c.decide(command);
        assertThat(decision.reply()).isEqualTo(reply);
        assertThat(decision.records()).isEmpty();
    }

    @Test
    void requestsThatNameNothing() {
        refused(new QuorumCommand.AlterPartition(1, c.epoch(1), List.of()), ErrorCode.INVALID_REQUEST);
        refused(new QuorumCommand.FenceBrokers(List.of(), ""), ErrorCode.INVALID_REQUEST);
    }

    @Test
    void registrationsThatNoClusterWouldTake() {
        QuorumCommand.RegisterBroker good = TestCluster.registration(7, "i", List.of("d"), -1, "", true);
        assertThat(StatelessChecks.refuse(good, TestCluster.SETTINGS)).isNull();
        refused(TestCluster.registration(-1, "i", List.of("d"), -1, "", true), ErrorCode.INVALID_REGISTRATION);
        refused(TestCluster.registration(7, "", List.of("d"), -1, "", true), ErrorCode.INVALID_REGISTRATION);
        refused(TestCluster.registration(7, "i", List.of(), -1, "", true), ErrorCode.INVALID_REGISTRATION);
        QuorumReply elsewhere = StatelessChecks.refuse(good, new ControllerSettings("another", 1, 1));
        assertThat(((QuorumReply.Refused) elsewhere).error()).isEqualTo(ErrorCode.INCONSISTENT_CLUSTER_ID);
    }

    @Test
    void deletionsWhereTopicsMayNotBeDeleted() {
        ControllerSettings settings = new ControllerSettings(TestCluster.CLUSTER_ID, 1, 1, 10, false, false);
        QuorumCommand delete =
                new QuorumCommand.DeleteTopics(List.of(new QuorumCommand.TopicRef("t", TopicId.ZERO)), "");
        assertThat(StatelessChecks.refuse(delete, TestCluster.SETTINGS)).isNull();
        assertThat(((QuorumReply.Refused) StatelessChecks.refuse(delete, settings)).error())
                .isEqualTo(ErrorCode.TOPIC_DELETION_DISABLED);
    }

    @Test
    void bootstrapsThatCannotBe() {
        refused(new QuorumCommand.Bootstrap(0, Map.of()), ErrorCode.INVALID_REQUEST);
        refused(new QuorumCommand.Bootstrap(1, Map.of("min.insync.replicas", "0")), ErrorCode.INVALID_CONFIG);
        QuorumCommand other = new QuorumCommand.Bootstrap(1, Map.of("log.retention.ms", "5"));
        assertThat(StatelessChecks.refuse(other, TestCluster.SETTINGS)).isNull();
    }

    @Test
    void whatNeedsTheStateIsLeftToTheDecision() {
        for (QuorumCommand command : List.of(
                new QuorumCommand.UnfenceBroker(new QuorumCommand.BrokerRef(9, 9)),
                new QuorumCommand.ShutDownBroker(new QuorumCommand.BrokerRef(9, 9)),
                new QuorumCommand.AllocateProducerIds(9, 9),
                new QuorumCommand.NoOp())) {
            assertThat(StatelessChecks.refuse(command, TestCluster.SETTINGS)).isNull();
        }
        assertThat(c.run(new QuorumCommand.UnfenceBroker(new QuorumCommand.BrokerRef(9, 9))))
                .isInstanceOfSatisfying(
                        QuorumReply.Refused.class,
                        refused -> assertThat(refused.error()).isEqualTo(ErrorCode.BROKER_ID_NOT_REGISTERED));
        assertThat(c.run(new QuorumCommand.ShutDownBroker(new QuorumCommand.BrokerRef(1, c.epoch(1) - 1))))
                .isInstanceOfSatisfying(
                        QuorumReply.Refused.class,
                        refused -> assertThat(refused.error()).isEqualTo(ErrorCode.STALE_BROKER_EPOCH));
        c.run(new QuorumCommand.FenceBrokers(List.of(new QuorumCommand.BrokerRef(1, c.epoch(1) - 1)), ""));
        assertThat(c.lastRecords)
                .as("an earlier incarnation is not there to be fenced")
                .isEmpty();
    }
}
