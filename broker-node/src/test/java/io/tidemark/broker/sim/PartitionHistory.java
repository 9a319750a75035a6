package io.tidemark.broker.sim;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.PartitionState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What has become of one partition, as nobody in the cluster can see it: which batches were ever written where (I9), which
 * were exposed by a high watermark and must stay (I3, I10, I13, I17), and who led last.
 */
final class PartitionHistory {
    /** A batch as it lies in a log; {@code checksum} stands for its content. */
    record Batch(
            long base,
            long next,
            int epoch,
            long checksum,
            long producer,
            int producerEpoch,
            int firstSequence,
            int lastSequence) {}

    private record Place(long offset, int epoch) {}

    private record Producer(long id, int epoch) {}

    private final PartitionId id;
    private final Map<Place, Long> written = new HashMap<>();
    /** Checksums of all that producers have sent to this partition. */
    private final Set<Long> sent = new HashSet<>();

    private final TreeMap<Long, Batch> exposed = new TreeMap<>();
    /** Exposed once, and given up by an unclean election. */
    private final Set<Batch> abandoned = new HashSet<>();

    /** The batch of each that was exposed last. */
    private final Map<Producer, Batch> sequences = new HashMap<>();

    /** What is below may have been deleted by request. */
    private long deletedBelow;
    /** Producers that wait until a batch is exposed before they send the next. */
    private final Set<Long> lossless = new HashSet<>();

    private long end;
    private PartitionState state;
    private final TreeMap<Integer, Boolean> underMinIsr = new TreeMap<>();
    private final Map<Integer, Long> epochsSince = new HashMap<>();
    private int leaderEpoch = -1;
    private Process leader;
    private int losses;
    private long lastLoss = -1;
    private int lastLossEpoch = -1;
    private boolean deleted;

    PartitionHistory(PartitionId id) {
        this.id = id;
    }

    void lossless(long producer) {
        lossless.add(producer);
    }

    PartitionId id() {
        return id;
    }

    /** The newest state in the metadata log. */
    PartitionState state() {
        return state;
    }

    /** What is below was exposed. */
    long end() {
        return end;
    }

    /** How often records were given up by an unclean election. */
    int losses() {
        return losses;
    }

    /** When records were last given up, microseconds; -1 if never. */
    long lastLoss() {
        return lastLoss;
    }

    void committed(PartitionState newer, long now) {
        underMinIsr.put(newer.partitionEpoch(), newer.underMinIsr());
        if (state == null || newer.leaderEpoch() > state.leaderEpoch()) {
            epochsSince.put(newer.leaderEpoch(), now);
        }
        state = newer;
    }

    /** Whether the ISR was below the min in all states from that one to this: a replica may take several in a turn. */
    boolean underMinIsr(int fromPartitionEpoch, int toPartitionEpoch) {
        return !underMinIsr
                .subMap(fromPartitionEpoch, true, toPartitionEpoch, true)
                .containsValue(false);
    }

    /** When that leader epoch was decided, microseconds. Its leader may hear of it, and of its followers, much later. */
    long decidedAt(int epoch) {
        return epochsSince.get(epoch);
    }

    /** Somebody is about to ask for the deletion of all records below that offset. */
    void mayDelete(long below) {
        deletedBelow = Math.max(deletedBelow, below);
    }

    /** Its topic is deleted in the metadata log: nothing is promised of it any more. */
    void delete() {
        deleted = true;
    }

    boolean deleted() {
        return deleted;
    }

    /** A producer is about to send a batch with that checksum to this partition, of this incarnation of the topic. */
    void sent(int checksum) {
        sent.add((long) checksum);
    }

    /**
     * I9: one epoch has one writer, so an offset with an epoch has one content. What is in the log was sent to it, and not
     * to a topic that had the name before.
     */
    void written(int broker, Batch batch) {
        if (!sent.contains(batch.checksum())) {
            throw new Violation("own records", "broker " + broker + " has what nobody sent there, at " + at(batch));
        }
        Long known = written.putIfAbsent(new Place(batch.base(), batch.epoch()), batch.checksum());
        if (known != null && known != batch.checksum()) {
            throw new Violation("I9", "broker " + broker + " has other content at " + at(batch));
        }
    }

    /** The batch exposed at that offset, or null. */
    Batch exposedAt(long offset) {
        return exposed.get(offset);
    }

    /** The batch that begins before that offset and goes on behind it, or null. */
    Batch exposedAcross(long offset) {
        Map.Entry<Long, Batch> entry = exposed.lowerEntry(offset);
        return entry == null || entry.getValue().next() <= offset ? null : entry.getValue();
    }

    Batch lastExposed() {
        return exposed.isEmpty() ? null : exposed.lastEntry().getValue();
    }

    /** The batches exposed in [from, to). */
    List<Batch> exposed(long from, long to) {
        return new ArrayList<>(exposed.subMap(from, to).values());
    }

    /**
     * I3, I10, I13: a batch below somebody's high watermark is the one that was exposed there.
     *
     * @param epoch of the leader that the replica is or follows
     */
    void exposes(int broker, boolean leads, int epoch, Batch batch) {
        if (epoch < lastLossEpoch) {
            // It has not heard yet of the unclean election that gave this up.
            abandoned.add(batch);
            return;
        }
        if (!leads && abandoned.contains(batch)) {
            // It comes back with what an unclean election gave up while it was away, until it follows.
            return;
        }
        if (batch.base() < end) {
            Batch known = exposed.get(batch.base());
            if (!batch.equals(known)) {
                throw new Violation("I13", "broker " + broker + " exposes " + at(batch) + " where there was " + known);
            }
            return;
        }
        if (!leads) {
            throw new Violation("I10", "follower " + broker + " has a mark above every leader's, at " + at(batch));
        }
        if (batch.base() != end) {
            throw new Violation("I13", "broker " + broker + " exposes " + at(batch) + ", exposed ends at " + end);
        }
        exposed.put(batch.base(), batch);
        end = batch.next();
        if (batch.producer() >= 0) {
            sequence(batch);
        }
    }

    /** I17. */
    private void sequence(Batch batch) {
        Batch last = sequences.put(new Producer(batch.producer(), batch.producerEpoch()), batch);
        if (last == null ? !lossless.contains(batch.producer()) : last.next() <= deletedBelow) {
            // R5.31: of a producer that is not known, whatever comes first is taken. A replica that begins where the
            // records
            // are that were not deleted has never heard of those who wrote the others.
            return;
        }
        int expected = last == null ? 0 : last.lastSequence() + 1;
        if (batch.firstSequence() != expected && losses == 0) {
            throw new Violation("I17", "expected sequence " + expected + " in " + at(batch));
        }
    }

    /** A broker begins to lead in an epoch that nobody has led in later. */
    void led(Process process, int epoch) {
        if (epoch > leaderEpoch) {
            leaderEpoch = epoch;
            leader = process;
        }
    }

    int leaderEpoch() {
        return leaderEpoch;
    }

    Process leader() {
        return leader;
    }

    /** An unclean election: what the new leader does not have is given up. */
    void givenUp(int byEpoch, long newEnd, long now) {
        losses++;
        lastLossEpoch = byEpoch;
        lastLoss = now;
        end = Math.min(end, newEnd);
        abandoned.addAll(exposed.tailMap(end, true).values());
        exposed.tailMap(end, true).clear();
        sequences.clear();
    }

    private String at(Batch batch) {
        return "partition " + id.partition() + " " + batch;
    }
}
