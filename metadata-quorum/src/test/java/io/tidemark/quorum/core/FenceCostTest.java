package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A fence looks at what the fenced brokers hold and at nothing else; counted in partitions, not in time. */
class FenceCostTest {
    private static List<List<Integer>> copies(int count, List<Integer> replicas) {
        List<List<Integer>> assignment = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            assignment.add(replicas);
        }
        return assignment;
    }

    private static Set<PartitionId> partitions(TestCluster c, String topic) {
        Set<PartitionId> ids = new HashSet<>();
        c.image.topic(topic).partitions().forEach(partition -> ids.add(partition.id()));
        return ids;
    }

    @Test
    void aFenceVisitsThePartitionsOfTheFencedOnly() {
        TestCluster c = TestCluster.baseline(5, 1, false);
        c.createTopic("big", copies(3000, List.of(1, 2)), Map.of());
        c.createTopic("small", copies(40, List.of(3, 4)), Map.of());
        c.createTopic("other", copies(7, List.of(5, 4)), Map.of());
        Set<PartitionId> ofThree = new HashSet<>(partitions(c, "small"));
        ofThree.addAll(partitions(c, "t"));
        assertThat(PartitionMoves.heldBy(c.image, Set.of(3))).containsExactlyInAnyOrderElementsOf(ofThree);
        Set<PartitionId> ofThreeAndFive = new HashSet<>(ofThree);
        ofThreeAndFive.addAll(partitions(c, "other"));
        assertThat(PartitionMoves.heldBy(c.image, Set.of(3, 5))).containsExactlyInAnyOrderElementsOf(ofThreeAndFive);

        c.fence(3, 5);
        Set<PartitionId> changed = new HashSet<>();
        c.lastRecords.stream()
                .filter(PartitionChanged.class::isInstance)
                .forEach(record -> changed.add(((PartitionChanged) record).id()));
        assertThat(changed).isEqualTo(ofThreeAndFive);
    }
}
