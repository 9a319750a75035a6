package io.tidemark.broker.runtime;

import io.tidemark.broker.log.SegmentLog;
import io.tidemark.broker.log.TimestampLookup;
import io.tidemark.broker.replica.Effect;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.replica.ReplicaEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * Reads of one partition, and questions about its offsets: the replica decides, then the log is read and whoever asked is
 * told. The loop's.
 */
final class PartitionReads {
    private final PartitionHost host;
    private final PartitionLoop loop;
    private final WorkOrder work;
    /** Where the outcome of the read, or of the question, at hand goes; events are handled one at a time. */
    private ReadRequest reading;

    private BiConsumer<Effect, ReplicaError> asking;

    PartitionReads(PartitionHost host, WorkOrder work) {
        this.host = host;
        this.loop = host.loop();
        this.work = work;
    }

    void read(ReplicaEvent fetch, long offset, int maxBytes, boolean atLeastOneBatch, ReadSink sink) {
        work.add(new Work() {
            @Override
            void run() {
                reading = new ReadRequest(offset, maxBytes, atLeastOneBatch, sink);
                host.step(fetch);
            }

            @Override
            void refuse() {
                sink.refused(ReplicaError.KAFKA_STORAGE_ERROR, -1, -1);
            }
        });
    }

    void ask(ReplicaEvent question, BiConsumer<Effect, ReplicaError> sink) {
        work.add(
                () -> {
                    asking = sink;
                    host.step(question);
                },
                () -> sink.accept(null, ReplicaError.KAFKA_STORAGE_ERROR));
    }

    void lookUp(long timestamp, long limit, BiConsumer<Optional<TimestampLookup.Found>, ReplicaError> sink) {
        work.add(
                () -> {
                    List<Optional<TimestampLookup.Found>> found = new ArrayList<>(1);
                    host.writeStaged();
                    SegmentLog log = host.log();
                    work.pause(
                            () -> {
                                try {
                                    found.add(
                                            timestamp == -3
                                                    ? log.offsetOfMaxTimestamp(limit)
                                                    : log.offsetForTimestamp(timestamp, limit));
                                } catch (IOException | RuntimeException e) {
                                    loop.post(() -> sink.accept(Optional.empty(), ReplicaError.KAFKA_STORAGE_ERROR));
                                    throw e;
                                }
                            },
                            () -> sink.accept(found.get(0), ReplicaError.NONE));
                },
                () -> sink.accept(Optional.empty(), ReplicaError.KAFKA_STORAGE_ERROR));
    }

    // ---- what the replica says to the one at hand ----

    void allowed(Effect.ReadAllowed allowed) {
        ReadRequest request = reading;
        reading = null;
        perform(request, allowed);
    }

    void refused(Effect.ReadRefused refused) {
        reading.sink().refused(refused.error(), refused.highWatermark(), refused.logStart());
        reading = null;
    }

    void diverges(Effect.ReadDiverges diverges) {
        reading.sink().diverges(diverges.epoch(), diverges.endOffset(), diverges.highWatermark(), diverges.logStart());
        reading = null;
    }

    void elsewhere(Effect.ReadElsewhere elsewhere) {
        ReadSink sink = reading.sink();
        reading = null;
        sink.elsewhere(elsewhere.replica(), elsewhere.highWatermark(), elsewhere.logStart());
    }

    /** The answer to a question. */
    void found(Effect answer) {
        BiConsumer<Effect, ReplicaError> sink = asking;
        asking = null;
        sink.accept(answer, ReplicaError.NONE);
    }

    /** The partition has failed: the one at hand, if any, is told so. */
    void abort() {
        if (reading != null) {
            reading.failed();
            reading = null;
        }
        if (asking != null) {
            asking.accept(null, ReplicaError.KAFKA_STORAGE_ERROR);
            asking = null;
        }
    }

    // ---- reading ----

    /** Now, or once what it needs has been brought into memory. */
    void perform(ReadRequest request, Effect.ReadAllowed allowed) {
        try {
            Runnable warm = request.perform(
                    host.log(), allowed, quotaFor(allowed), loop.now().ms());
            if (warm != null) {
                loop.ports().readers().execute(() -> {
                    warm.run();
                    loop.post(() -> work.add(() -> perform(request, allowed), request::failed));
                });
            }
        } catch (IOException e) {
            host.fail(e);
            request.failed();
        }
    }

    /** R4.23: the account that a read of this partition is charged to, null if none. */
    private ReplicationQuota quotaFor(Effect.ReadAllowed allowed) {
        return allowed.mayWait()
                        && host.settings().leaderThrottled().contains(host.id().partition())
                ? loop.ports().quotas().leader()
                : null;
    }
}
