package io.tidemark.broker.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.EpochHistory;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.SeatReport;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What DescribeTopicPartitions says of seats (B1, R7.90). */
class DescribedSeatsTest {
    private static final PartitionId ID = new PartitionId(new TopicId(1, 2), 0);

    private static PartitionState withElr(List<Integer> elr, List<Integer> lastKnown, SeatReport... unproven) {
        return new PartitionState(
                ID,
                List.of(1, 2, 3, 4),
                List.of(),
                elr,
                lastKnown,
                -1,
                5,
                9,
                false,
                List.of(),
                List.of(),
                Floor.UNKNOWN,
                List.of(unproven),
                2);
    }

    @Test
    void onlyWhoMayBeElectedIsEligible() {
        PartitionState state = withElr(
                List.of(2, 3), List.of(1), new SeatReport(3, ID, 0, 7, EpochHistory.EMPTY), SeatReport.nothing(4, ID));
        var described = DescribeTopicPartitionsHandler.partition(state, new ClusterView(ClusterImage.EMPTY, "L", 1));
        assertThat(described.eligibleLeaderReplicas()).containsExactly(2);
        assertThat(described.lastKnownElr()).as("3 waits, 4 has no seat").containsExactly(3, 1);
    }

    @Test
    void withoutReportsTheyAreAsTheyAre() {
        PartitionState state = withElr(List.of(2, 3), List.of());
        var described = DescribeTopicPartitionsHandler.partition(state, new ClusterView(ClusterImage.EMPTY, "L", 1));
        assertThat(described.eligibleLeaderReplicas()).containsExactly(2, 3);
        assertThat(described.lastKnownElr()).isEmpty();
    }
}
