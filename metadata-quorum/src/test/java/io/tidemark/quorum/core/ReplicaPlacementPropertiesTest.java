package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.metadata.ClusterImage;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** R7.82 for clusters of any shape. */
class ReplicaPlacementPropertiesTest {
    @Property(tries = 200)
    void replicasAreDifferentSpreadOverRacksAndLedByUnfencedBrokers(
            @ForAll @IntRange(min = 1, max = 12) int brokers,
            @ForAll @IntRange(min = 1, max = 4) int racks,
            @ForAll @IntRange(min = 0, max = 3) int fencedCount,
            @ForAll @IntRange(min = 1, max = 5) int replicationFactor,
            @ForAll long seed) {
        Set<Integer> fenced = new HashSet<>();
        for (int id = 1; id <= Math.min(fencedCount, brokers - 1); id++) {
            fenced.add(id);
        }
        String[] names = List.of("a", "b", "c", "d").subList(0, racks).toArray(String[]::new);
        ClusterImage image = ReplicaPlacementTest.cluster(brokers, fenced, names).image;
        int factor = Math.min(replicationFactor, brokers);
        Set<String> usedRacks = new HashSet<>();
        image.brokers().values().forEach(broker -> usedRacks.add(broker.rack()));
        for (List<Integer> replicas : ReplicaPlacementTest.place(image, 20, factor, seed)) {
            assertThat(replicas).hasSize(factor).doesNotHaveDuplicates();
            assertThat(fenced).doesNotContain(replicas.get(0));
            Set<String> covered = new HashSet<>();
            replicas.forEach(replica -> covered.add(image.broker(replica).rack()));
            assertThat(covered).hasSize(Math.min(factor, usedRacks.size()));
        }
        assertThat(ReplicaPlacementTest.place(image, 20, factor, seed))
                .isEqualTo(ReplicaPlacementTest.place(image, 20, factor, seed));
    }
}
