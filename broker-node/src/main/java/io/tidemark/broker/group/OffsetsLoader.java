package io.tidemark.broker.group;

import io.tidemark.broker.log.FileSlice;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.runtime.MarkListener;
import io.tidemark.broker.runtime.ReadSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.coordinator.common.runtime.CoordinatorLoader;
import org.apache.kafka.coordinator.common.runtime.CoordinatorPlayback;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.Deserializer;
import org.apache.kafka.coordinator.group.GroupCoordinatorRecordSerde;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads a coordinator from its partition: everything from the start of the log to the end that this broker's leader
 * epoch began with. Loading ends only when all of that is committed, for until then the mark may lie below what the
 * former leader has acknowledged, and an answer would show an older offset; clients are told that loading is under way.
 */
final class OffsetsLoader implements CoordinatorLoader<CoordinatorRecord> {
    private static final Logger LOG = LoggerFactory.getLogger(OffsetsLoader.class);
    private static final int THREADS = 2;
    /** Replayed offsets after which what is committed is made final, which frees what older views would need. */
    private static final long COMMIT_EVERY = 16_384;

    private final OffsetsPartitions partitions;
    private final int readBytes;
    private final ExecutorService threads;
    private final GroupCoordinatorRecordSerde serde = new GroupCoordinatorRecordSerde();

    /** @param readBytes how much is read at a time; one larger batch is always taken */
    OffsetsLoader(OffsetsPartitions partitions, int readBytes) {
        this.partitions = partitions;
        this.readBytes = readBytes;
        this.threads = Executors.newFixedThreadPool(THREADS, task -> {
            Thread thread = new Thread(task, "group-loader");
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public CompletableFuture<LoadSummary> load(TopicPartition tp, CoordinatorPlayback<CoordinatorRecord> coordinator) {
        Load load = new Load(tp, coordinator, partitions.startLoading(tp.partition()));
        submit(load, load::replayAll);
        return load.done;
    }

    private void submit(Load load, Runnable work) {
        try {
            threads.execute(() -> {
                try {
                    work.run();
                } catch (RuntimeException e) {
                    load.done.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            load.done.completeExceptionally(e);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    /** What one read found; no slice at the end of the log. */
    private record Chunk(FileSlice slice, long highWatermark, long logStart) {}

    private final class Load {
        private final TopicPartition tp;
        private final CoordinatorPlayback<CoordinatorRecord> coordinator;
        private final int epoch;
        private final CompletableFuture<LoadSummary> done = new CompletableFuture<>();
        private final long requestedMs = System.currentTimeMillis();
        private long startedMs;
        private long next;
        private long written;
        private long records;
        private long bytes;

        private Load(TopicPartition tp, CoordinatorPlayback<CoordinatorRecord> coordinator, int epoch) {
            this.tp = tp;
            this.coordinator = coordinator;
            this.epoch = epoch;
        }

        private void replayAll() {
            startedMs = System.currentTimeMillis();
            Chunk chunk = read();
            while (chunk.slice != null) {
                replay(chunk);
                chunk = read();
            }
            next = Math.max(next, chunk.logStart);
            if (next > written) {
                coordinator.updateLastWrittenOffset(next);
            }
            awaitMark();
        }

        private Chunk read() {
            CompletableFuture<Chunk> chunk = new CompletableFuture<>();
            partitions.onLoop(
                    tp.partition(),
                    host -> host.coordinator().read(epoch, next, readBytes, new ChunkSink(chunk)),
                    () -> chunk.completeExceptionally(lost()));
            try {
                return chunk.get();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof RuntimeException known ? known : new IllegalStateException(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("the loader is closed", e);
            }
        }

        private NotLeaderOrFollowerException lost() {
            return new NotLeaderOrFollowerException(tp + " is not led by this broker in leader epoch " + epoch);
        }

        private void replay(Chunk chunk) {
            ByteBuffer buffer = ByteBuffer.allocate(chunk.slice.length());
            try {
                chunk.slice.copyTo(buffer);
            } catch (IOException e) {
                throw new IllegalStateException(tp + " cannot be read", e);
            } finally {
                chunk.slice.release();
            }
            bytes += buffer.flip().remaining();
            for (MutableRecordBatch batch :
                    MemoryRecords.readableRecords(buffer).batches()) {
                replay(batch);
                next = batch.nextOffset();
                if (next - written >= COMMIT_EVERY && next <= chunk.highWatermark) {
                    written = next;
                    coordinator.updateLastWrittenOffset(next);
                    coordinator.updateLastCommittedOffset(next);
                }
            }
        }

        private void replay(MutableRecordBatch batch) {
            if (batch.isControlBatch()) {
                throw new IllegalStateException(tp + " has a transaction marker at " + batch.baseOffset()
                        + ", and transactions are not supported yet");
            }
            for (Record record : batch) {
                records++;
                try {
                    CoordinatorRecord replayed = serde.deserialize(record.key(), record.value());
                    coordinator.replay(record.offset(), batch.producerId(), batch.producerEpoch(), replayed);
                } catch (Deserializer.UnknownRecordTypeException e) {
                    LOG.warn("{} has a record of an unknown type {}; it is passed over", tp, e.unknownType());
                }
            }
        }

        private void awaitMark() {
            MarkListener listener = new MarkListener() {
                private boolean over;

                @Override
                public void reached(long highWatermark) {
                    if (highWatermark >= next && !over) {
                        over = true;
                        submit(Load.this, Load.this::finish);
                    }
                }

                @Override
                public void retired() {
                    if (!over) {
                        done.completeExceptionally(lost());
                    }
                }
            };
            done.whenComplete((summary, failure) -> partitions.onLoop(
                    tp.partition(), host -> host.coordinator().removeMarkListener(listener), () -> {}));
            partitions.onLoop(
                    tp.partition(),
                    host -> host.coordinator().addMarkListener(epoch, listener),
                    () -> done.completeExceptionally(lost()));
        }

        private void finish() {
            coordinator.updateLastCommittedOffset(next);
            long nowMs = System.currentTimeMillis();
            LOG.info("{} loaded in leader epoch {}: {} records in {} ms", tp, epoch, records, nowMs - startedMs);
            done.complete(new LoadSummary(startedMs, nowMs, startedMs - requestedMs, records, bytes));
        }
    }

    private record ChunkSink(CompletableFuture<Chunk> chunk) implements ReadSink {
        @Override
        public void read(FileSlice slice, boolean more, long highWatermark, long stableOffset, long logStart) {
            if (!chunk.complete(new Chunk(slice, highWatermark, logStart)) && slice != null) {
                slice.release();
            }
        }

        @Override
        public void diverges(int epoch, long endOffset, long highWatermark, long logStart) {
            throw new IllegalStateException("a read of the leader's own log does not diverge");
        }

        @Override
        public void refused(ReplicaError error, long highWatermark, long logStart) {
            chunk.completeExceptionally(CoordinatorBatch.exception(error, null));
        }
    }
}
