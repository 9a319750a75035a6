package io.tidemark.quorum.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumQuery.StatusAnswer;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.quorum.inspect.ClusterStatus.Partition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is wrong with a cluster, told apart, and no alarm where nothing is. */
class ClusterStatusTest {
    private static final TopicId TOPIC = new TopicId(1, 1);

    private static Partition partition(
            int number, int leader, int minIsr, List<Integer> isr, List<Integer> elr, List<Integer> adding) {
        List<Integer> replicas = new ArrayList<>(List.of(1, 2, 3));
        replicas.addAll(adding);
        return new Partition(
                "orders",
                new PartitionState(
                        new PartitionId(TOPIC, number),
                        replicas,
                        isr,
                        elr,
                        List.of(),
                        leader,
                        0,
                        0,
                        false,
                        adding,
                        List.of(),
                        Floor.NONE,
                        List.of(),
                        minIsr));
    }

    private static List<String> names(List<Partition> partitions) {
        return partitions.stream().map(Partition::name).toList();
    }

    @Test
    void eachLackIsTold() {
        List<Partition> all = List.of(
                partition(0, 1, 2, List.of(1, 2, 3), List.of(), List.of()),
                partition(1, 1, 2, List.of(1, 2), List.of(), List.of()),
                partition(2, 1, 2, List.of(1), List.of(2), List.of()),
                partition(3, -1, 2, List.of(), List.of(2, 3), List.of()),
                partition(4, -1, 2, List.of(3), List.of(), List.of()),
                partition(5, 1, 2, List.of(1, 2, 3), List.of(), List.of(4)),
                partition(6, 3, 1, List.of(3), List.of(), List.of()),
                partition(7, -1, 1, List.of(3), List.of(), List.of()));
        PartitionCounts counts = PartitionCounts.of(all, id -> false, Set.of(3));
        assertThat(names(counts.underReplicated()))
                .containsExactly("orders-1", "orders-2", "orders-3", "orders-4", "orders-6", "orders-7");
        assertThat(names(counts.atMinIsr())).containsExactly("orders-1", "orders-6");
        assertThat(names(counts.underMinIsr())).containsExactly("orders-2", "orders-3", "orders-4", "orders-7");
        assertThat(names(counts.offline())).containsExactly("orders-3", "orders-4", "orders-7");
        assertThat(names(counts.elrOnly())).containsExactly("orders-3");
        assertThat(names(counts.leaderSilent())).containsExactly("orders-6");
        assertThat(counts.allReplicasDown()).isEmpty();
        assertThat(names(PartitionCounts.of(all, id -> id != 4, Set.of()).allReplicasDown()))
                .as("4 is there, and is a replica of 5")
                .doesNotContain("orders-5")
                .hasSize(7);
        assertThat(counts.line())
                .startsWith("6 under-replicated, 4 under min ISR, 2 at min ISR, 3 offline, 1 offline with");
    }

    @Test
    void aHealthyClusterRaisesNoAlarm() {
        ClusterStatus status =
                ClusterStatus.of(List.of(answer(101, 101)), List.of(node(101, true, true), node(1, true, true)));
        assertThat(status.problems()).isEmpty();
        assertThat(status.warnings()).isEmpty();
    }

    @Test
    void aNodeThatDoesNotAnswerIsTold() {
        ClusterStatus status =
                ClusterStatus.of(List.of(answer(101, 101)), List.of(node(101, true, true), node(1, false, false)));
        assertThat(status.problems()).containsExactly("node 1 does not answer: facts of 1");
    }

    @Test
    void aNodeThatIsNotReadyIsTold() {
        ClusterStatus status =
                ClusterStatus.of(List.of(answer(101, 101)), List.of(node(101, true, true), node(1, true, false)));
        assertThat(status.problems()).containsExactly("node 1 is not ready: facts of 1");
    }

    @Test
    void aBrokerThatIsFencedAndGoneHasOneLine() {
        ClusterImage fenced = image().apply(
                        2,
                        new MetadataEntry(
                                1,
                                0,
                                new MetadataEntry.Cause("test", -1, -1, "", ""),
                                List.of(new MetadataRecord.BrokerFenced(1, 1)),
                                new QuorumReply.Done()));
        ClusterStatus status = ClusterStatus.of(
                List.of(answer(101, 101, fenced)), List.of(node(101, true, true), node(1, false, false)));
        assertThat(status.problems()).containsExactly("broker 1 is fenced, and does not answer: facts of 1");
    }

    @Test
    void aControllerThatIsGoneHasOneLine() {
        ClusterStatus status = ClusterStatus.of(
                List.of(answer(101, 101), new StatusProbe.Result(new QuorumVoter(102, "localhost", 1), null, "gone")),
                List.of(node(101, true, true), node(102, false, false)));
        assertThat(status.problems()).singleElement().asString().startsWith("controller 102");
    }

    @Test
    void withoutAnActingControllerTheLatestMetadataIsUsed() {
        ClusterStatus status = ClusterStatus.of(List.of(answer(101, -1)));
        assertThat(status.problems()).containsExactly("there is no acting controller");
        assertThat(status.image()).isNotNull();
    }

    @Test
    void warningsAreTheNodesOwn() {
        NodeAnswer warned =
                new NodeAnswer(1, "a", true, true, "", List.of(), List.of(), List.of("the disk is nearly full"));
        ClusterStatus status = ClusterStatus.of(List.of(answer(101, 101)), List.of(warned));
        assertThat(status.problems()).isEmpty();
        assertThat(status.warnings()).containsExactly("node 1: the disk is nearly full");
    }

    @Test
    void whatANodeKnowsToBeWrongIsAProblem() {
        NodeAnswer failing = new NodeAnswer(
                1, "a", true, true, "", List.of("is not alive: x"), List.of("orders-0: out of service: y"), List.of());
        assertThat(ClusterStatus.of(List.of(answer(101, 101)), List.of(failing)).problems())
                .containsExactly("node 1 is not alive: x", "node 1: orders-0: out of service: y");
    }

    private static NodeAnswer node(int id, boolean answered, boolean ready) {
        return new NodeAnswer(id, "localhost:1", answered, ready, "facts of " + id, List.of(), List.of(), List.of());
    }

    /** A controller whose image has one broker, unfenced. */
    private static StatusProbe.Result answer(int id, int leader) {
        return answer(id, leader, image());
    }

    private static StatusProbe.Result answer(int id, int leader, ClusterImage image) {
        return new StatusProbe.Result(
                new QuorumVoter(id, "localhost", 1),
                new StatusAnswer(id, leader, 1, 1, 1, 0, image.digest(), image, Map.of()),
                null);
    }

    private static ClusterImage image() {
        return ClusterImage.EMPTY.apply(
                1,
                new MetadataEntry(
                        -1,
                        0,
                        new MetadataEntry.Cause("test", -1, -1, "", ""),
                        List.of(
                                new MetadataRecord.BrokerRegistered(
                                        1, 1, "i", List.of("d"), List.of(), "", "", 1, 1, true),
                                new MetadataRecord.BrokerUnfenced(1, 1)),
                        new QuorumReply.Done()));
    }
}
