package io.tidemark.quorum.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.quorum.core.FenceReasons;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which elections and fences count (R9.14). */
class ControllerCountsTest {
    private static final long STARTED = 1_000;
    private static final TopicId TOPIC = new TopicId(1, 1);
    private static final PartitionId PARTITION = new PartitionId(TOPIC, 0);

    private final ControllerCounts counts = new ControllerCounts(STARTED);
    private ClusterImage image = ClusterImage.EMPTY;

    private void entry(long timestampMs, String reason, MetadataRecord... records) {
        MetadataEntry entry = new MetadataEntry(
                image.tip(),
                timestampMs,
                new MetadataEntry.Cause("test", -1, -1, "", reason),
                List.of(records),
                new QuorumReply.Done());
        counts.applies(image, entry);
        image = image.apply(image.index() + 1, entry);
    }

    private static MetadataRecord changed(Integer leader, List<Integer> isr, List<Integer> elr) {
        return new MetadataRecord.PartitionChanged(
                PARTITION, leader, isr, elr, null, null, null, null, null, null, null);
    }

    /** Replicas 1, 2, 3; only 1 is in the ISR, 2 is in the ELR. */
    private void partition() {
        entry(
                STARTED,
                "",
                new MetadataRecord.TopicCreated("orders", TOPIC),
                new MetadataRecord.PartitionCreated(
                        PartitionState.created(PARTITION, List.of(1, 2, 3), List.of(1, 2, 3), 1)));
        entry(STARTED, "", changed(null, List.of(1), List.of(2)));
    }

    @Test
    void aMemberOfTheIsrIsAnOrdinaryLeader() {
        partition();
        entry(STARTED, "", changed(-1, List.of(1), null));
        entry(STARTED, "", changed(1, List.of(1), null));
        assertThat(counts.uncleanElections()).isZero();
        assertThat(counts.elrElections()).isZero();
    }

    @Test
    void aMemberOfTheElrCountsAsThatAndAnyOtherAsUnclean() {
        partition();
        entry(STARTED, "", changed(2, List.of(2), List.of()));
        assertThat(counts.elrElections()).isEqualTo(1);
        assertThat(counts.uncleanElections()).isZero();
        entry(STARTED, "", changed(3, List.of(3), List.of()));
        assertThat(counts.elrElections()).isEqualTo(1);
        assertThat(counts.uncleanElections()).isEqualTo(1);
    }

    @Test
    void whatWasWrittenBeforeTheStartDoesNotCount() {
        partition();
        entry(STARTED - 1, "", changed(3, List.of(3), List.of()));
        assertThat(counts.uncleanElections()).isZero();
    }

    @Test
    void onlySessionsThatRanOutCountAsThat() {
        entry(STARTED, "", registered(1), registered(2));
        entry(STARTED, FenceReasons.SESSION_RAN_OUT, new MetadataRecord.BrokerFenced(1, 0));
        entry(STARTED, "controlled shutdown is complete", new MetadataRecord.BrokerFenced(2, 0));
        assertThat(counts.sessionsRunOut()).isEqualTo(1);
    }

    @Test
    void aLeaderThatWasOnlyOutOfSightIsNotNew() {
        counts.newLeader(1);
        counts.newLeader(1);
        assertThat(counts.newLeaders()).isEqualTo(1);
        counts.newLeader(3);
        assertThat(counts.newLeaders()).isEqualTo(2);
    }

    private static MetadataRecord registered(int id) {
        return new MetadataRecord.BrokerRegistered(id, 0, "i" + id, List.of("d" + id), List.of(), "", "", 1, 1, true);
    }
}
