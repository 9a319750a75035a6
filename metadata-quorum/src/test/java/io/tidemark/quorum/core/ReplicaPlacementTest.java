package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.RegisterBroker;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** R7.82. */
class ReplicaPlacementTest {
    /** Brokers 1..n, broker i in rack names[i % names.length]; those in {@code fenced} stay fenced. */
    static TestCluster cluster(int brokers, Set<Integer> fenced, String... racks) {
        TestCluster c = TestCluster.bootstrapped(Map.of());
        for (int id = 1; id <= brokers; id++) {
            RegisterBroker plain = TestCluster.registration(id, "i" + id, List.of("dir-" + id), -1, "", true);
            c.run(new RegisterBroker(
                    plain.clusterId(),
                    id,
                    plain.incarnationId(),
                    plain.directoryIds(),
                    plain.endpoints(),
                    racks[id % racks.length],
                    -1,
                    "",
                    true,
                    1,
                    1,
                    List.of()));
            if (!fenced.contains(id)) {
                c.unfence(id);
            }
        }
        return c;
    }

    static List<List<Integer>> place(ClusterImage image, int partitions, int replicationFactor, long seed) {
        ReplicaPlacement placement = ReplicaPlacement.over(image, new Seeded(seed));
        assertThat(placement.problem(replicationFactor)).isNull();
        List<List<Integer>> result = new ArrayList<>();
        for (int i = 0; i < partitions; i++) {
            result.add(placement.next(replicationFactor));
        }
        return result;
    }

    private static int spread(Map<Integer, Integer> counts) {
        return Collections.max(counts.values()) - Collections.min(counts.values());
    }

    @Test
    void leadersAndReplicasAreEvenlySpreadOverARoundOfBrokers() {
        ClusterImage image = cluster(6, Set.of(), "a", "b", "c").image;
        for (long seed = 0; seed < 50; seed++) {
            Map<Integer, Integer> leaders = new HashMap<>();
            Map<Integer, Integer> all = new HashMap<>();
            for (List<Integer> replicas : place(image, 60, 3, seed)) {
                leaders.merge(replicas.get(0), 1, Integer::sum);
                replicas.forEach(replica -> all.merge(replica, 1, Integer::sum));
            }
            assertThat(leaders).hasSize(6);
            assertThat(spread(leaders))
                    .as("leaders, seed %d: %s", seed, leaders)
                    .isZero();
            assertThat(spread(all)).as("replicas, seed %d: %s", seed, all).isZero();
        }
    }

    @Test
    void singlePartitionTopicsDoNotAllBeginAtTheSameBroker() {
        ClusterImage image = cluster(3, Set.of(), "").image;
        Set<Integer> leaders = new HashSet<>();
        for (long seed = 0; seed < 30; seed++) {
            leaders.add(place(image, 1, 3, seed).get(0).get(0));
        }
        assertThat(leaders).containsExactlyInAnyOrder(1, 2, 3);
    }

    @Test
    void fencedBrokersAreTakenOnlyWhenTheirRackHasNoOtherLeft() {
        ClusterImage image = cluster(4, Set.of(1), "").image;
        assertThat(place(image, 10, 3, 1))
                .allSatisfy(replicas -> assertThat(replicas).doesNotContain(1));
        assertThat(place(image, 10, 4, 1))
                .allSatisfy(replicas -> assertThat(replicas.get(3)).isEqualTo(1));
    }

    @Test
    void whatCannotBePlacedIsSaid() {
        TestCluster c = cluster(3, Set.of(), "");
        c.run(new QuorumCommand.ShutDownBroker(c.ref(1)));
        ReplicaPlacement two = ReplicaPlacement.over(c.image, new Seeded(1));
        assertThat(two.problem(2)).isNull();
        assertThat(two.problem(3)).contains("3").contains("2");
        c.fence(2, 3);
        assertThat(ReplicaPlacement.over(c.image, new Seeded(1)).problem(1)).contains("fenced");
        assertThat(ReplicaPlacement.over(ClusterImage.EMPTY, new Seeded(1)).problem(1))
                .isNotNull();
    }

    @Test
    void aSeedIsAllThereIsToChance() {
        Seeded left = new Seeded(42);
        Seeded right = new Seeded(42);
        Seeded other = new Seeded(43);
        assertThat(left.topicId()).isEqualTo(right.topicId()).isNotEqualTo(other.topicId());
        Seeded child = left.split();
        left.next();
        assertThat(child.next()).isEqualTo(right.split().next());
        for (int i = 0; i < 1000; i++) {
            assertThat(left.below(7)).isBetween(0, 6);
            assertThat(left.topicId().toString()).doesNotStartWith("-");
        }
    }
}
