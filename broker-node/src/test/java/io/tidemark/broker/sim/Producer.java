package io.tidemark.broker.sim;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.PartitionState;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;

/**
 * Writes to one partition, one batch after the other, each until it is acknowledged; keeps what it was told of it. With
 * acks=all an acknowledged batch is exposed where the answer says.
 */
final class Producer {
    private static final short VERSION = 13;
    private static final long TIMEOUT_MICROS = 3_000_000;
    private static final int SERVER_TIMEOUT_MS = 2_000;
    /** Where a batch has its checksum. */
    private static final int CHECKSUM = 17;

    private static final Set<Errors> PASSING = Set.of(
            Errors.NOT_LEADER_OR_FOLLOWER,
            Errors.NOT_ENOUGH_REPLICAS,
            Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
            Errors.REQUEST_TIMED_OUT,
            Errors.KAFKA_STORAGE_ERROR,
            Errors.UNKNOWN_TOPIC_ID,
            Errors.UNKNOWN_TOPIC_OR_PARTITION);

    private final Simulation sim;
    private final int node;
    private final PartitionId partition;
    private final short acks;
    private final boolean idempotent;
    private final Chance chance;
    private short epoch;
    private int sequence;
    private int count;
    private byte[] batch;
    private int number;
    private int attempt;
    private int target = 1;
    private int leaderEpoch;
    private boolean stopping;
    private long acknowledgedBatches;

    Producer(Simulation sim, int node, PartitionId partition, short acks, boolean idempotent, Chance chance) {
        this.sim = sim;
        this.node = node;
        this.partition = partition;
        this.acks = acks;
        this.idempotent = idempotent;
        this.chance = chance;
    }

    long acknowledged() {
        return acknowledgedBatches;
    }

    boolean idle() {
        return batch == null;
    }

    void stop() {
        stopping = true;
    }

    void start() {
        sim.queue().after(chance.delay(1_000, 2 * sim.profile().thinkMicros()), () -> {
            if (!stopping && !history().deleted()) {
                batch = nextBatch();
                send();
            }
        });
    }

    private PartitionHistory history() {
        return sim.checks().history(partition);
    }

    private byte[] nextBatch() {
        number++;
        count = chance.between(1, 4);
        SimpleRecord[] records = new SimpleRecord[count];
        for (int i = 0; i < count; i++) {
            byte[] value = new byte[chance.between(12, 120)];
            byte[] name = ("p" + node + "-" + number + "." + i).getBytes(StandardCharsets.UTF_8);
            System.arraycopy(name, 0, value, 0, Math.min(name.length, value.length));
            records[i] = new SimpleRecord(Simulation.WALL_START_MS + sim.queue().now() / 1000, value);
        }
        MemoryRecords built = idempotent
                ? MemoryRecords.withIdempotentRecords(Compression.NONE, node, epoch, sequence, records)
                : MemoryRecords.withRecords(Compression.NONE, records);
        byte[] bytes = new byte[built.sizeInBytes()];
        built.buffer().duplicate().get(bytes);
        history().sent(ByteBuffer.wrap(bytes).getInt(CHECKSUM));
        return bytes;
    }

    /** Stamps are written into the batch by the broker: each attempt has a copy of its own. */
    private ProduceRequest request() {
        ProduceRequestData data = new ProduceRequestData().setAcks(acks).setTimeoutMs(SERVER_TIMEOUT_MS);
        ProduceRequestData.TopicProduceData topic = new ProduceRequestData.TopicProduceData()
                .setTopicId(
                        new Uuid(partition.topicId().high(), partition.topicId().low()));
        topic.partitionData()
                .add(new ProduceRequestData.PartitionProduceData()
                        .setIndex(partition.partition())
                        .setRecords(MemoryRecords.readableRecords(ByteBuffer.wrap(batch.clone()))));
        data.topicData().add(topic);
        return new ProduceRequest.Builder(VERSION, VERSION, data).build(VERSION);
    }

    private void send() {
        if (batch == null) {
            return;
        }
        int mine = ++attempt;
        int to = target;
        ProduceRequest request = request();
        Network.Fate fate = sim.network().fate(node, to);
        if (fate != Network.Fate.LOST) {
            long delay = fate == Network.Fate.LATE
                    ? sim.network().lateness()
                    : sim.network().delay(node, to);
            sim.queue().after(delay, () -> {
                Process there = sim.machine(to).process();
                if (there == null || !there.listening()) {
                    back(mine, () -> failed(mine));
                    return;
                }
                there.serve(there.anyLoop(), request, response -> {
                    if (fate == Network.Fate.DELIVERED || fate == Network.Fate.TWICE) {
                        back(mine, () -> answered(mine, response));
                    }
                });
            });
        }
        sim.queue().after(TIMEOUT_MICROS, () -> failed(mine));
    }

    private void back(int mine, Runnable then) {
        sim.queue().after(sim.network().delay(target, node), () -> {
            if (mine == attempt) {
                then.run();
            }
        });
    }

    private void failed(int mine) {
        if (history().deleted()) {
            // There is no such topic any more, and what became of the last batch is of no interest to anybody.
            batch = null;
        }
        if (mine == attempt && batch != null) {
            attempt++;
            retarget();
            sim.queue().after(chance.delay(10_000, 200_000), this::send);
        }
    }

    private void retarget() {
        Machine asked = sim.machine(chance.between(1, sim.profile().brokers()));
        PartitionState state =
                asked.process() == null ? null : asked.process().image().partition(partition);
        if (state != null && state.hasLeader() && state.leaderEpoch() >= leaderEpoch) {
            // As real clients: never back to a leader of an earlier epoch.
            leaderEpoch = state.leaderEpoch();
            target = state.leader();
        }
    }

    private void answered(int mine, AbstractResponse response) {
        if (batch == null || history().deleted()) {
            // What is acknowledged now is void.
            batch = null;
            return;
        }
        if (response == null) {
            if (acks == 0) {
                done();
            } else {
                failed(mine);
            }
            return;
        }
        ProduceResponseData.PartitionProduceResponse row = ((ProduceResponse) response)
                .data()
                .responses()
                .iterator()
                .next()
                .partitionResponses()
                .get(0);
        Errors error = Errors.forCode(row.errorCode());
        if (error == Errors.NONE) {
            sim.trace().note("ack", node, partition.partition(), acks, row.baseOffset());
            if (acks == -1) {
                acknowledged(row.baseOffset());
            }
            done();
        } else if (PASSING.contains(error)) {
            sim.trace().note("not taken", node, partition.partition(), target, error.name());
            failed(mine);
        } else if (error == Errors.OUT_OF_ORDER_SEQUENCE_NUMBER && forgiven()) {
            // What came before is lost: begin anew.
            epoch++;
            sequence = 0;
            batch = nextBatch();
            failed(mine);
        } else {
            sim.checks()
                    .breached(new Violation(
                            "unexpected error", "producer " + node + " is told " + error + " " + row.errorMessage()));
        }
    }

    /** Batches with acks below all may be lost, and then those after them are out of order. */
    private boolean forgiven() {
        return acks != -1 || history().losses() > 0;
    }

    /** I2, I3: what is acknowledged was exposed, at that offset and with that content. */
    private void acknowledged(long base) {
        PartitionHistory history = history();
        PartitionHistory.Batch exposed = history.exposedAt(base);
        int checksum = ByteBuffer.wrap(batch).getInt(CHECKSUM);
        boolean same = exposed != null && exposed.checksum() == checksum && exposed.next() == base + count;
        if (!same && history.losses() == 0) {
            sim.checks()
                    .breached(new Violation(
                            "I2",
                            "producer " + node + " partition " + partition.partition() + " batch " + number
                                    + " is acknowledged at " + base + ", exposed there is " + exposed));
        }
        sim.acknowledged(new Simulation.Acknowledged(
                partition, base, base + count, checksum, sim.queue().now(), same));
    }

    private void done() {
        acknowledgedBatches++;
        sequence += count;
        batch = null;
        start();
    }
}
