package io.tidemark.model.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.model.Check;
import io.tidemark.model.EpochHistory;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.codec.SnapshotCodec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The one fold: chain rule, min ISR, indexes, digest, snapshots, and what a step means for one broker. */
class ClusterImageTest {
    private static final TopicId T = new TopicId(1, 1);
    private static final TopicId U = new TopicId(2, 2);
    private static final PartitionId P0 = new PartitionId(T, 0);
    private static final PartitionId P1 = new PartitionId(T, 1);
    private static final PartitionId U0 = new PartitionId(U, 0);

    private static ClusterImage after(ClusterImage image, MetadataRecord... records) {
        return image.apply(image.index() + 1, entry(image.tip(), records));
    }

    private static MetadataEntry entry(long basedOn, MetadataRecord... records) {
        return new MetadataEntry(
                basedOn,
                1000,
                new MetadataEntry.Cause("Test", -1, -1, "", ""),
                List.of(records),
                new QuorumReply.Done());
    }

    private static MetadataRecord.BrokerRegistered broker(int id) {
        return new MetadataRecord.BrokerRegistered(
                id,
                MetadataRecord.BrokerRegistered.THIS_INDEX,
                "i" + id,
                List.of("d" + id),
                List.of(new Endpoint("INTERNAL", "h" + id, 9000 + id)),
                "r",
                "boot",
                1,
                1,
                true);
    }

    private static MetadataRecord partition(PartitionId id, Integer... replicas) {
        return new MetadataRecord.PartitionCreated(
                PartitionState.created(id, List.of(replicas), List.of(replicas), replicas[0]));
    }

    private static MetadataRecord.PartitionChanged change(
            PartitionId id, Integer leader, List<Integer> isr, List<Integer> elr) {
        return new MetadataRecord.PartitionChanged(id, leader, isr, elr, null, null, null, null, null, null, null);
    }

    private static MetadataRecord minIsr(ConfigResource resource, String value) {
        return new MetadataRecord.ConfigSet(resource, ClusterImage.MIN_ISR_KEY, value);
    }

    /** Brokers 1 to 3 at indexes 0 to 2; topics t with two partitions and u with one; cluster min ISR 2. */
    private static ClusterImage cluster() {
        ClusterImage image = after(ClusterImage.EMPTY, broker(1));
        image = after(image, broker(2));
        image = after(image, broker(3));
        return after(
                image,
                minIsr(ConfigResource.CLUSTER_DEFAULT, "2"),
                new MetadataRecord.TopicCreated("t", T),
                new MetadataRecord.TopicCreated("u", U),
                partition(P0, 1, 2, 3),
                partition(P1, 2, 3),
                partition(U0, 3));
    }

    @Test
    void anEntryThatDoesNotChainIsVoidAndLeavesTheTip() {
        ClusterImage image = cluster();
        MetadataEntry ghost = entry(image.tip() - 1, new MetadataRecord.LevelFinalized(9));
        ClusterImage skipped = image.apply(image.index() + 1, ghost);
        assertThat(image.chains(ghost)).isFalse();
        assertThat(skipped.index()).isEqualTo(image.index() + 1);
        assertThat(skipped.tip()).isEqualTo(image.tip());
        assertThat(skipped.digest()).isEqualTo(image.digest());
        // What was decided on top of the ghost is void too; what was decided on the tip is not.
        ClusterImage still =
                skipped.apply(skipped.index() + 1, entry(skipped.index(), new MetadataRecord.LevelFinalized(9)));
        assertThat(still.level()).isEqualTo(image.level());
        ClusterImage taken = still.apply(still.index() + 5, entry(image.tip(), new MetadataRecord.LevelFinalized(9)));
        assertThat(taken.level()).isEqualTo(9);
        assertThat(taken.tip()).isEqualTo(still.index() + 5);
        assertThatThrownBy(() -> taken.apply(taken.index(), entry(taken.tip()))).isInstanceOf(Check.Violation.class);
    }

    @Test
    void theBrokerEpochIsTheIndexOfTheRegistration() {
        ClusterImage image = cluster();
        assertThat(image.broker(2).epoch()).isEqualTo(1);
        assertThat(image.broker(2).active()).isFalse();
        ClusterImage unfenced = after(image, new MetadataRecord.BrokerUnfenced(2, 1));
        assertThat(unfenced.broker(2).active()).isTrue();
        assertThatThrownBy(() -> after(image, new MetadataRecord.BrokerUnfenced(2, 7)))
                .isInstanceOf(Check.Violation.class);
        ClusterImage stopping = after(unfenced, new MetadataRecord.BrokerShuttingDown(2, 1));
        assertThat(stopping.broker(2).shutdownIndex()).isEqualTo(stopping.index());
        assertThat(stopping.broker(2).active()).isFalse();
        ClusterImage again = after(stopping, broker(2));
        assertThat(again.broker(2).epoch()).isEqualTo(again.index());
        assertThat(again.broker(2).shuttingDown()).isFalse();
    }

    @Test
    void r1_7_everyChangeRaisesPeAndANamedLeaderLe() {
        ClusterImage image = after(cluster(), change(P0, null, List.of(1, 2), null));
        assertThat(image.partition(P0)).hasToString("M{L=1 LE=0 PE=1 ISR=[1, 2] ELR=[] LKE=[]}");
        image = after(image, change(P0, 1, null, null));
        assertThat(image.partition(P0)).hasToString("M{L=1 LE=1 PE=2 ISR=[1, 2] ELR=[] LKE=[]}");
    }

    @Test
    void b3_theMinIsrIsDerived() {
        ClusterImage image = cluster();
        assertThat(image.partition(P0).minIsr()).isEqualTo(2);
        assertThat(image.partition(U0).minIsr())
                .as("never more than the replicas")
                .isEqualTo(1);
        assertThat(image.partition(P0).partitionEpoch()).isZero();

        ClusterImage below = after(image, change(P0, null, List.of(1), List.of(2, 3)));
        assertThat(below.partition(P0).floor()).isEqualTo(Floor.UNKNOWN);
        ClusterImage raised = after(below, minIsr(ConfigResource.topic("t"), "3"));
        PartitionState p0 = raised.partition(P0);
        assertThat(p0.minIsr()).isEqualTo(3);
        assertThat(p0.partitionEpoch()).isEqualTo(2);
        assertThat(p0.leaderEpoch()).isZero();
        assertThat(p0.elr()).isEmpty();
        assertThat(p0.floor()).isEqualTo(Floor.UNKNOWN);
        assertThat(raised.partition(P1)).as("2 replicas: as before").isSameAs(image.partition(P1));
        assertThat(raised.partition(U0)).isSameAs(image.partition(U0));

        ClusterImage lowered = after(raised, minIsr(ConfigResource.topic("t"), "1"));
        assertThat(lowered.partition(P0).floor()).isEqualTo(Floor.NONE);
        assertThat(lowered.partition(P0).partitionEpoch()).isEqualTo(3);
        assertThat(lowered.partition(P1).partitionEpoch()).isEqualTo(1);
        ClusterImage own = after(lowered, minIsr(ConfigResource.CLUSTER_DEFAULT, "3"));
        assertThat(own.partition(P0)).as("its own value rules").isSameAs(lowered.partition(P0));
        ClusterImage removed = after(own, minIsr(ConfigResource.topic("t"), null));
        assertThat(removed.partition(P0).minIsr()).isEqualTo(3);
        assertThat(removed.partition(P0).partitionEpoch()).isEqualTo(4);
    }

    @Test
    void b3_inOneEntryAChangeAfterTheConfigIsUnderTheNewMinIsr() {
        ClusterImage image =
                after(cluster(), minIsr(ConfigResource.topic("t"), "3"), change(P0, null, List.of(1, 2), List.of(3)));
        assertThat(image.partition(P0).minIsr()).isEqualTo(3);
        assertThat(image.partition(P0).partitionEpoch()).isEqualTo(2);
        assertThat(image.partition(P0).underMinIsr()).isTrue();
    }

    @Test
    void b3_whatCountsAreTheTargetReplicas() {
        ClusterImage image = after(cluster(), minIsr(ConfigResource.topic("t"), "3"));
        ClusterImage moving = after(image, replicas(List.of(1, 4, 2, 3), List.of(4), List.of(2, 3)));
        assertThat(moving.partition(P0).minIsr()).as("two will stay").isEqualTo(2);
        assertThat(moving.partition(P0).reassigning()).isTrue();
        ClusterImage moved = after(moving, replicas(List.of(1, 4), List.of(), List.of()));
        assertThat(moved.partition(P0).minIsr()).isEqualTo(2);
        assertThat(moved.partition(P0).reassigning()).isFalse();
        ClusterImage growing = after(moved, replicas(List.of(1, 4, 2, 3), List.of(2, 3), List.of()));
        assertThat(growing.partition(P0).minIsr())
                .as("those that are added count before they are there")
                .isEqualTo(3);
        assertThat(growing.partition(P0).floor()).isEqualTo(Floor.UNKNOWN);
        assertThat(moved.effectiveMinIsr("t", 5)).isEqualTo(3);
        assertThat(moved.effectiveMinIsr("t", 1)).isEqualTo(1);
    }

    private static MetadataRecord replicas(List<Integer> replicas, List<Integer> adding, List<Integer> removing) {
        return new MetadataRecord.PartitionChanged(
                P0, null, List.of(1), List.of(), null, null, replicas, adding, removing, null, null);
    }

    @Test
    void whatMustNotBeIsRefused() {
        ClusterImage image = cluster();
        List<MetadataRecord> wrong = List.of(
                change(P0, null, List.of(1, 4), null),
                replicas(List.of(1, 2, 3), List.of(4), List.of()),
                replicas(List.of(1, 2, 3), List.of(), List.of(4)),
                replicas(List.of(1, 2, 3), List.of(3), List.of(3)),
                replicas(List.of(1, 2, 3), List.of(), List.of(1, 2, 3)),
                change(P0, null, List.of(1), List.of(4)),
                change(P0, null, List.of(1, 2), List.of(2)),
                change(P0, null, List.of(2, 3), null),
                change(new PartitionId(T, 2), null, List.of(1), null),
                partition(new PartitionId(T, 3), 1),
                new MetadataRecord.TopicCreated("t", new TopicId(3, 3)),
                new MetadataRecord.TopicDeleted(new TopicId(3, 3)),
                new MetadataRecord.ProducerIdsAllocated(1, 0, 0));
        for (MetadataRecord record : wrong) {
            assertThatThrownBy(() -> after(image, record)).as("%s", record).isInstanceOf(Check.Violation.class);
        }
    }

    @Test
    void partitionsAreIndexedByWhetherTheirReplicasChange() {
        ClusterImage image = cluster();
        assertThat(image.reassigning()).isEmpty();
        image = after(
                image,
                new MetadataRecord.PartitionChanged(
                        P0, null, null, null, null, null, List.of(3, 1, 2), List.of(3), List.of(2), null, null));
        assertThat(image.reassigning()).containsExactly(P0);
        assertThat(SnapshotCodec.decode(SnapshotCodec.encode(image)).reassigning())
                .containsExactly(P0);
        ClusterImage done = after(
                image,
                new MetadataRecord.PartitionChanged(
                        P0, null, List.of(1, 3), null, null, null, List.of(3, 1), List.of(), List.of(), null, null));
        assertThat(done.reassigning()).isEmpty();
        assertThat(after(image, new MetadataRecord.TopicDeleted(T)).reassigning())
                .isEmpty();
    }

    @Test
    void partitionsAreIndexedByBrokerAndByWantOfALeader() {
        ClusterImage image = cluster();
        assertThat(image.partitionsOf(2)).containsExactlyInAnyOrder(P0, P1);
        assertThat(image.partitionsOf(9)).isEmpty();
        image = after(image, change(P0, -1, List.of(), List.of(1, 2)));
        assertThat(image.leaderless()).containsExactly(P0);
        image = after(
                image,
                new MetadataRecord.PartitionChanged(
                        P0, 1, List.of(1), List.of(), null, null, List.of(1, 3), null, null, null, null));
        assertThat(image.leaderless()).isEmpty();
        assertThat(image.partitionsOf(2)).containsExactly(P1);
        image = after(image, new MetadataRecord.TopicDeleted(T));
        assertThat(image.partitionsOf(2)).isEmpty();
        assertThat(image.partitionsOf(3)).containsExactly(U0);
        assertThat(image.topic("t")).isNull();
        assertThat(image.configs(ConfigResource.topic("t"))).isEmpty();
    }

    @Test
    void equalHistoriesHaveEqualDigestsAndEveryFieldCounts() {
        ClusterImage image = cluster();
        assertThat(cluster().digest()).isEqualTo(image.digest());
        SeatReport seat = new SeatReport(2, P0, 0, 5, EpochHistory.of(0, 0));
        SeatReport otherSeat = new SeatReport(2, P0, 0, 5, EpochHistory.of(0, 0, 1, 5));
        List<MetadataRecord> changes = List.of(
                change(P0, 1, null, null),
                change(P0, null, List.of(1, 2), null),
                change(P0, null, List.of(2, 1, 3), null),
                new MetadataRecord.PartitionChanged(
                        P0, null, List.of(1), List.of(2), null, null, null, null, null, null, null),
                new MetadataRecord.PartitionChanged(
                        P0, null, List.of(1), List.of(2), List.of(1), null, null, null, null, null, null),
                new MetadataRecord.PartitionChanged(
                        P0, null, List.of(1), List.of(2), null, true, null, null, null, null, null),
                new MetadataRecord.PartitionChanged(
                        P0, null, List.of(1), List.of(2), null, null, List.of(1, 3, 2), null, null, null, null),
                new MetadataRecord.PartitionChanged(
                        P0, null, List.of(1), List.of(2), null, null, null, null, List.of(3), null, null),
                new MetadataRecord.PartitionChanged(
                        P0, null, List.of(1), List.of(2), null, null, null, null, null, Floor.known(5, 0, true), null),
                new MetadataRecord.PartitionChanged(
                        P0, null, List.of(1), List.of(2), null, null, null, null, null, Floor.known(5, 0, false), null),
                new MetadataRecord.PartitionChanged(
                        P0, null, List.of(1), List.of(2), null, null, null, null, null, null, List.of(seat)),
                new MetadataRecord.PartitionChanged(
                        P0, null, List.of(1), List.of(2), null, null, null, null, null, null, List.of(otherSeat)),
                new MetadataRecord.BrokerUnfenced(1, 0),
                new MetadataRecord.BrokerShuttingDown(1, 0),
                broker(1),
                new MetadataRecord.ConfigSet(ConfigResource.topic("t"), "a", "b"),
                new MetadataRecord.ConfigSet(ConfigResource.topic("t"), "a", "c"),
                new MetadataRecord.ConfigSet(ConfigResource.topic("u"), "a", "b"),
                new MetadataRecord.TopicDeleted(U),
                new MetadataRecord.LevelFinalized(2),
                new MetadataRecord.HistoryBegun(2),
                new MetadataRecord.ProducerIdsAllocated(1, 0, 1000));
        List<Long> digests = new ArrayList<>();
        digests.add(image.digest());
        changes.forEach(record -> digests.add(after(image, record).digest()));
        assertThat(digests).doesNotHaveDuplicates();
    }

    @Test
    void theOrderOfIndependentChangesDoesNotCount() {
        ClusterImage image = cluster();
        MetadataRecord one = change(P0, null, List.of(1, 2), null);
        MetadataRecord other = change(P1, null, List.of(2), List.of(3));
        assertThat(after(image, one, other).digest())
                .isEqualTo(after(image, other, one).digest());
    }

    @Test
    void aSnapshotIsTheImage() {
        ClusterImage image = after(
                cluster(),
                new MetadataRecord.BrokerUnfenced(1, 0),
                minIsr(ConfigResource.topic("t"), "3"),
                new MetadataRecord.PartitionChanged(
                        P0,
                        null,
                        List.of(1),
                        List.of(2),
                        List.of(3),
                        true,
                        null,
                        null,
                        null,
                        Floor.known(9, 0, true),
                        List.of(new SeatReport(3, P0, 0, 5, EpochHistory.of(0, 0)))),
                change(P1, -1, List.of(), List.of(2, 3)),
                new MetadataRecord.ProducerIdsAllocated(1, 0, 1000));
        image = image.apply(image.index() + 3, entry(-7));
        ClusterImage read = SnapshotCodec.decode(SnapshotCodec.encode(image));
        assertThat(read.digest()).isEqualTo(image.digest());
        assertThat(read.index()).isEqualTo(image.index());
        assertThat(read.tip()).isEqualTo(image.tip());
        assertThat(read.partition(P0)).isEqualTo(image.partition(P0));
        assertThat(read.partition(P1)).isEqualTo(image.partition(P1));
        assertThat(read.broker(1)).isEqualTo(image.broker(1));
        assertThat(read.leaderless()).containsExactly(P1);
        assertThat(read.partitionsOf(3)).containsExactlyInAnyOrder(P0, P1, U0);
        // And the fold goes on as on the original.
        assertThat(after(read, minIsr(ConfigResource.topic("t"), "1")).digest())
                .isEqualTo(after(image, minIsr(ConfigResource.topic("t"), "1")).digest());
    }

    @Test
    void whoseLogIsDoubtedWaitsForTheFloorOrHasLostItsSeat() {
        ClusterImage image = after(cluster(), minIsr(ConfigResource.topic("t"), "3"));
        List<SeatReport> doubted = List.of(new SeatReport(2, P0, 0, 5, EpochHistory.of(0, 0)));
        PartitionState waits =
                after(image, belowMin(List.of(2), List.of(), null, doubted)).partition(P0);
        assertThat(waits.waitsForFloor(2)).isTrue();
        assertThat(after(image, belowMin(List.of(), List.of(2), null, doubted))
                        .partition(P0)
                        .waitsForFloor(2))
                .isFalse();
        assertThatThrownBy(() -> after(image, belowMin(List.of(2), List.of(), Floor.known(9, 0, true), doubted)))
                .isInstanceOf(Check.Violation.class);
        assertThatThrownBy(() -> after(image, belowMin(List.of(), List.of(), null, doubted)))
                .isInstanceOf(Check.Violation.class);
        ClusterImage one = after(cluster(), minIsr(ConfigResource.topic("t"), "1"));
        assertThatThrownBy(() -> after(one, belowMin(List.of(), List.of(2), null, doubted)))
                .as("nobody is at min ISR 1")
                .isInstanceOf(Check.Violation.class);
        ClusterImage lowered = after(
                after(image, belowMin(List.of(2), List.of(), null, doubted)), minIsr(ConfigResource.topic("t"), "2"));
        assertThat(lowered.partition(P0).unproven()).isEmpty();
    }

    private static MetadataRecord belowMin(
            List<Integer> elr, List<Integer> lastKnownElr, Floor floor, List<SeatReport> reports) {
        return new MetadataRecord.PartitionChanged(
                P0, null, List.of(1), elr, lastKnownElr, null, null, null, null, floor, reports);
    }

    @Test
    void localChangesAreThoseOfOneBroker() {
        ClusterImage before = cluster();
        ClusterImage after = after(before, change(P0, null, List.of(1, 2), null));
        LocalChanges changes = LocalChanges.between(before, after, 2);
        assertThat(changes.changed()).containsExactly(after.partition(P0));
        assertThat(changes.removed()).isEmpty();
        assertThat(LocalChanges.between(ClusterImage.EMPTY, after, 1).changed()).containsExactly(after.partition(P0));
        assertThat(LocalChanges.between(before, after, 9).changed()).isEmpty();
    }

    @Test
    void localChangesTellWhatIsGone() {
        ClusterImage before = cluster();
        ClusterImage moved = after(
                before,
                new MetadataRecord.PartitionChanged(
                        P1, 3, List.of(3), null, null, null, List.of(3), null, null, null, null));
        assertThat(LocalChanges.between(before, moved, 2).removed()).containsExactly(P1);
        ClusterImage deleted = after(moved, new MetadataRecord.TopicDeleted(T));
        assertThat(LocalChanges.between(before, deleted, 2).removed()).containsExactlyInAnyOrder(P0, P1);
        assertThat(LocalChanges.between(before, deleted, 3).removed()).containsExactlyInAnyOrder(P0, P1);
    }

    @Test
    void b14_localChangesTellLeadersOfTheirReplicasBrokers() {
        ClusterImage before = cluster();
        ClusterImage after = after(before, new MetadataRecord.BrokerUnfenced(3, 2));
        assertThat(LocalChanges.between(before, after, 1).eligibility()).containsExactly(after.partition(P0));
        assertThat(LocalChanges.between(before, after, 2).eligibility()).containsExactly(after.partition(P1));
        assertThat(LocalChanges.between(before, after, 3).eligibility()).containsExactly(after.partition(U0));
        ClusterImage both = after(after, change(P0, null, List.of(1, 2), null));
        assertThat(LocalChanges.between(before, both, 1).eligibility())
                .as("told as changed already")
                .isEmpty();
    }
}
