package io.tidemark.broker.sim;

import io.tidemark.broker.log.BatchHeader;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.PartitionState;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FetchMetadata;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;

/** Reads one partition from the start on, again and again; everything it is given was exposed (I12). */
final class Consumer {
    private static final short VERSION = 13;
    private static final long TIMEOUT_MICROS = 3_000_000;

    private final Simulation sim;
    private final int node;
    private final String topic;
    private final PartitionId partition;
    private final Chance chance;
    private long offset;
    private int attempt;
    private int target = 1;
    private int leaderEpoch;
    private boolean stopping;

    Consumer(Simulation sim, int node, String topic, PartitionId partition, Chance chance) {
        this.sim = sim;
        this.node = node;
        this.topic = topic;
        this.partition = partition;
        this.chance = chance;
    }

    void stop() {
        stopping = true;
    }

    void start() {
        sim.queue().after(chance.delay(20_000, 800_000), () -> {
            if (!stopping && !sim.checks().history(partition).deleted()) {
                fetch();
            }
        });
    }

    private FetchRequest request() {
        Map<TopicPartition, FetchRequest.PartitionData> rows = new LinkedHashMap<>();
        rows.put(
                new TopicPartition(topic, partition.partition()),
                new FetchRequest.PartitionData(
                        new Uuid(partition.topicId().high(), partition.topicId().low()),
                        offset,
                        0,
                        16 << 10,
                        Optional.empty()));
        return FetchRequest.Builder.forConsumer(VERSION, 200, 1, rows)
                .metadata(FetchMetadata.LEGACY)
                .build(VERSION);
    }

    private void fetch() {
        int mine = ++attempt;
        int to = target;
        FetchRequest request = request();
        sim.queue().after(sim.network().delay(node, to), () -> {
            Process there = sim.machine(to).process();
            if (there == null || !there.listening()) {
                again(mine, true);
                return;
            }
            there.serve(there.anyLoop(), request, response -> {
                AbstractResponse inMemory = SimLink.inMemory(response);
                sim.queue().after(sim.network().delay(to, node), () -> answered(mine, inMemory));
            });
        });
        sim.queue().after(TIMEOUT_MICROS, () -> again(mine, true));
    }

    private void again(int mine, boolean elsewhere) {
        if (mine != attempt) {
            return;
        }
        attempt++;
        if (elsewhere) {
            Machine asked = sim.machine(chance.between(1, sim.profile().brokers()));
            PartitionState state =
                    asked.process() == null ? null : asked.process().image().partition(partition);
            if (state != null && state.hasLeader() && state.leaderEpoch() >= leaderEpoch) {
                leaderEpoch = state.leaderEpoch();
                target = state.leader();
            }
        }
        start();
    }

    private void answered(int mine, AbstractResponse response) {
        if (mine != attempt || sim.checks().history(partition).deleted()) {
            return;
        }
        if (response == null) {
            again(mine, true);
            return;
        }
        FetchResponse fetch = (FetchResponse) response;
        if (fetch.error() != Errors.NONE || fetch.data().responses().isEmpty()) {
            again(mine, true);
            return;
        }
        FetchResponseData.PartitionData row =
                fetch.data().responses().get(0).partitions().get(0);
        Errors error = Errors.forCode(row.errorCode());
        if (error == Errors.OFFSET_OUT_OF_RANGE) {
            outOfRange(row.logStartOffset());
        } else if (error == Errors.NONE) {
            read(((MemoryRecords) row.records()).buffer());
        }
        again(mine, error != Errors.NONE);
    }

    /** What is below the start was deleted. Behind a new leader's mark one may be ahead for a moment (R3.22); what is gone for good was given up. */
    private void outOfRange(long logStart) {
        offset = Math.max(offset, logStart);
        if (sim.checks().history(partition).losses() > 0) {
            offset = 0;
        }
    }

    private void read(ByteBuffer records) {
        PartitionHistory history = sim.checks().history(partition);
        int at = records.position();
        while (records.limit() - at >= BatchHeader.SIZE) {
            BatchHeader header = BatchHeader.read(records, at);
            if (header.sizeInBytes() > records.limit() - at) {
                break;
            }
            PartitionHistory.Batch exposed = history.exposedAt(header.baseOffset());
            boolean same = exposed != null
                    && exposed.epoch() == header.leaderEpoch()
                    && exposed.checksum() == records.getInt(at + 17);
            if (!same && history.losses() == 0) {
                throw breach(
                        "offset " + header.baseOffset() + " epoch " + header.leaderEpoch() + ", exposed is " + exposed);
            }
            if (header.nextOffset() > offset) {
                if (header.baseOffset() > offset && history.losses() == 0) {
                    throw breach("offsets from " + offset + " to " + header.baseOffset() + " are skipped");
                }
                offset = header.nextOffset();
            }
            at += header.sizeInBytes();
        }
        if (chance.oneIn(60)) {
            offset = 0;
        }
    }

    private Violation breach(String what) {
        return new Violation("I12", "consumer " + node + " partition " + partition.partition() + ": " + what);
    }
}
