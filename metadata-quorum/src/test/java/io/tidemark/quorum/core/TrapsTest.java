package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.controller.KafkaOracle;
import org.apache.kafka.controller.KafkaOracle.Member;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Traps that Kafka's controller walks into, with what it answers beside what is required. Kafka goes its own way here,
 * from the same first state and through the same events; nothing is put right on the way.
 */
class TrapsTest {
    private static final String MIN = ClusterImage.MIN_ISR_KEY;

    private final TestCluster ours = TestCluster.bootstrapped(Map.of());
    private final KafkaOracle kafka = new KafkaOracle();
    private int incarnation;

    @BeforeEach
    void fourBrokers() {
        for (int id = 1; id <= 4; id++) {
            ours.start(id);
            register(id, false);
        }
    }

    private void register(int id, boolean clean) {
        KafkaOracle.Broker old = kafka.broker(id);
        kafka.sessionsRunOut();
        List<Uuid> directories = List.of(new Uuid(8, id), new Uuid(9, id));
        long epoch = 1_000 + ++incarnation;
        int error = kafka.register(id, new Uuid(7, incarnation), directories, clean ? old.epoch() : -1, epoch);
        assertThat(error).isZero();
        assertThat(kafka.heartbeat(id, epoch, epoch, false, false, epoch + 1).fenced())
                .isFalse();
    }

    private void create(int minIsr, List<List<Integer>> lists) {
        ours.createTopic("t", lists, Map.of(MIN, "" + minIsr));
        assertThat(kafka.createTopic("t", -1, -1, lists, Map.of(MIN, "" + minIsr)))
                .isZero();
    }

    private void fence(int id) {
        ours.fence(id);
        kafka.fence(id);
    }

    private void comeBack(int id) {
        ours.comeBack(id, TestCluster.Return.CLEAN);
        register(id, true);
    }

    private int reassign(int partition, Integer... target) {
        assertThat(ours.reassign("t", partition, List.of(target))).isEqualTo(ErrorCode.NONE);
        return kafka.reassign("t", partition, List.of(target), true);
    }

    private String ours(int partition) {
        return SideBySide.view(ours.image.topic("t").partition(partition)).toString();
    }

    private String kafka(int partition) {
        return kafka.partition("t", partition).toString();
    }

    private void both(int partition, String state) {
        assertThat(ours(partition)).isEqualTo(state);
        assertThat(kafka(partition)).isEqualTo(state);
    }

    @Test
    void s19AStaleSeatDoesNotOutliveAChangeOfTheReplicaCount() {
        create(3, List.of(List.of(1, 2, 3), List.of(1, 2, 3)));
        fence(3);
        both(1, "M{L=1 LE=0 PE=1 R=[1, 2, 3] ISR=[1, 2] ELR=[3] LKE=[]}");
        reassign(1, 1, 2);
        assertThat(kafka(1))
                .as("partition 0 has three replicas; the leader counts two, and acknowledges without 3 from now on")
                .isEqualTo("M{L=1 LE=1 PE=2 R=[1, 2] ISR=[1, 2] ELR=[3] LKE=[]}");
        assertThat(ours(1)).isEqualTo("M{L=1 LE=1 PE=2 R=[1, 2] ISR=[1, 2] ELR=[] LKE=[]}");
        reassign(1, 1, 2, 3);
        assertThat(kafka(1)).isEqualTo("M{L=1 LE=1 PE=3 R=[1, 2, 3] adding=[3] ISR=[1, 2] ELR=[3] LKE=[]}");
        assertThat(ours(1)).isEqualTo("M{L=1 LE=1 PE=3 R=[1, 2, 3] adding=[3] ISR=[1, 2] ELR=[] LKE=[]}");
        comeBack(3);
        fence(2);
        fence(1);
        assertThat(kafka(1))
                .as("led by who lacks what was acknowledged")
                .contains("L=3")
                .doesNotContain("RECOVERING");
        assertThat(ours(1)).isEqualTo("M{L=-1 LE=2 PE=5 R=[1, 2, 3] adding=[3] ISR=[] ELR=[1, 2] LKE=[1]}");
        comeBack(2);
        assertThat(ours(1)).isEqualTo("M{L=2 LE=3 PE=6 R=[1, 2, 3] adding=[3] ISR=[2] ELR=[1] LKE=[]}");
    }

    @Test
    void s19bAPartitionThatWaitsMayGetMoreReplicas() {
        create(2, List.of(List.of(1, 2, 3)));
        reassign(0, 4);
        both(0, "M{L=1 LE=0 PE=1 R=[4, 1, 2, 3] adding=[4] removing=[1, 2, 3] ISR=[1, 2, 3] ELR=[] LKE=[]}");
        assertThat(ours.alter(1, 0, 1, 1, 2, 3, 4)).isEqualTo(ErrorCode.NEW_LEADER_ELECTED);
        List<Member> all = List.of(new Member(1, -1), new Member(2, -1), new Member(3, -1), new Member(4, -1));
        assertThat(kafka.alterPartition(1, kafka.broker(1).epoch(), "t", 0, 0, 1, false, all))
                .isEqualTo(ErrorCode.NEW_LEADER_ELECTED.code());
        assertThat(kafka(0)).isEqualTo("M{L=4 LE=1 PE=2 R=[4] ISR=[4] ELR=[1, 2, 3] LKE=[]}");
        assertThat(ours(0)).isEqualTo("M{L=4 LE=1 PE=2 R=[4] ISR=[4] ELR=[] LKE=[]}");
        fence(4);
        assertThat(kafka(0)).contains("L=-1").contains("ELR=[1, 2, 3, 4] LKE=[4]");
        assertThat(ours(0)).isEqualTo("M{L=-1 LE=2 PE=3 R=[4] ISR=[] ELR=[4] LKE=[4]}");
        assertThat(reassign(0, 4, 1)).as("Kafka fails").isEqualTo(ErrorCode.UNKNOWN_SERVER_ERROR.code());
        assertThat(ours(0)).isEqualTo("M{L=-1 LE=2 PE=4 R=[4, 1] adding=[1] ISR=[] ELR=[4] LKE=[4]}");
        ours.comeBack(4, TestCluster.Return.CLEAN);
        assertThat(ours(0)).isEqualTo("M{L=4 LE=3 PE=5 R=[4, 1] adding=[1] ISR=[4] ELR=[] LKE=[]}");
    }

    @Test
    void s26AShrinkUnderAnEarlierMinIsrIsRefused() {
        create(2, List.of(List.of(1, 2, 3)));
        ours.setTopicConfig("t", MIN, "3");
        assertThat(kafka.setConfig("t", MIN, "3")).isZero();
        List<Member> shrunk = List.of(new Member(1, -1), new Member(2, -1));
        assertThat(kafka.alterPartition(1, kafka.broker(1).epoch(), "t", 0, 0, 0, false, shrunk))
                .as("Kafka takes it, by a min ISR that its leader does not know yet")
                .isZero();
        assertThat(kafka(0)).isEqualTo("M{L=1 LE=0 PE=1 R=[1, 2, 3] ISR=[1, 2] ELR=[3] LKE=[]}");
        assertThat(ours.alter(1, 0, 0, 1, 2)).isEqualTo(ErrorCode.INVALID_UPDATE_VERSION);
        assertThat(ours(0)).isEqualTo("M{L=1 LE=0 PE=1 R=[1, 2, 3] ISR=[1, 2, 3] ELR=[] LKE=[]}");
        kafka.fence(2);
        kafka.fence(1);
        assertThat(kafka(0))
                .as("led by who was left behind, and called clean")
                .isEqualTo("M{L=3 LE=1 PE=3 R=[1, 2, 3] ISR=[3] ELR=[1, 2] LKE=[]}");
    }
}
