package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.EpochAndOffset;
import io.tidemark.model.EpochHistory;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.codec.RecordCodec;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.SeatReport;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What goes into one entry; the log has room for twice what is estimated (R7.98). */
class EntryBoundTest {
    private static final PartitionId ID = new PartitionId(new TopicId(-1, -1), 5);

    private static PartitionChanged small() {
        List<Integer> ids = List.of(1, 2, 3);
        return new PartitionChanged(ID, 1, ids, ids, null, null, null, null, null, null, null);
    }

    /** Every field there can be, each as long as it can be. */
    private static PartitionChanged large(int lists, int reports, int epochs) {
        PartitionId id = new PartitionId(new TopicId(-1, -1), Integer.MAX_VALUE);
        List<Integer> ids = Collections.nCopies(lists, Integer.MAX_VALUE);
        List<EpochAndOffset> history = new ArrayList<>();
        for (int i = 0; i < epochs; i++) {
            history.add(new EpochAndOffset(Integer.MAX_VALUE - epochs + i, Long.MAX_VALUE - epochs + i));
        }
        SeatReport report =
                new SeatReport(Integer.MAX_VALUE, id, Long.MAX_VALUE, Long.MAX_VALUE, EpochHistory.of(history));
        return new PartitionChanged(
                id,
                Integer.MAX_VALUE,
                ids,
                ids,
                ids,
                true,
                ids,
                ids,
                ids,
                new Floor(Floor.Kind.KNOWN, Long.MAX_VALUE, Integer.MAX_VALUE, true),
                Collections.nCopies(reports, report));
    }

    private static int encoded(PartitionChanged change) {
        return entry(List.of(change)) - entry(List.of());
    }

    private static int entry(List<PartitionChanged> changes) {
        return RecordCodec.encode(new MetadataEntry(
                        1, 1, Causes.controller("Test", ""), List.copyOf(changes), new QuorumReply.Done()))
                .length;
    }

    @Test
    void nothingTakesTwiceWhatIsEstimated() {
        for (int lists : new int[] {0, 1, 3, 1000}) {
            for (int reports : new int[] {0, 1, 10}) {
                for (int epochs : new int[] {0, 1, 1000}) {
                    PartitionChanged change = large(lists, reports, epochs);
                    assertThat(encoded(change))
                            .as("%d ids, %d reports of %d epochs", lists, reports, epochs)
                            .isLessThan(2 * EntryBound.size(change));
                }
            }
        }
    }

    @Test
    void whatIsUsualIsBoundedByItsNumber() {
        List<PartitionChanged> many = Collections.nCopies(30_000, small());
        assertThat(EntryBound.USUAL.first(many)).hasSize(20_000);
        assertThat(EntryBound.USUAL.first(many.subList(0, 20_000))).hasSize(20_000);
    }

    @Test
    void whatIsLongIsBoundedByItsSize() {
        EntryBound bound = new EntryBound(100, 3 * EntryBound.size(small()));
        assertThat(bound.first(Collections.nCopies(5, small()))).hasSize(3);
        assertThat(bound.first(List.of())).isEmpty();
        PartitionChanged alone = large(10, 3, 50);
        assertThat(bound.first(List.of(alone, small())))
                .as("else it would never go")
                .containsExactly(alone);
        assertThat(bound.first(List.of(small(), alone))).hasSize(1);
    }
}
