package io.tidemark.broker.group;

import io.tidemark.broker.runtime.MarkListener;
import io.tidemark.broker.runtime.TopicSettings;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.coordinator.common.runtime.PartitionWriter;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.VerificationGuard;

/**
 * Writes a coordinator's records to its partition, and tells it of the high watermark, both within the leader epoch the
 * coordinator was loaded in. Runs on the coordinator's threads, which wait for the partition's loop.
 */
final class OffsetsWriter implements PartitionWriter {
    private final int brokerId;
    private final OffsetsPartitions partitions;
    private final TopicSettings defaults;
    private final long patienceMs;
    private final Map<Listener, Marks> listeners = new ConcurrentHashMap<>();
    /** By the largest batch allowed, the one thing that is asked of it. */
    private final Map<Integer, LogConfig> configs = new ConcurrentHashMap<>();

    /** @param patienceMs how long an append waits for its partition, and again until a write under way has ended */
    OffsetsWriter(int brokerId, OffsetsPartitions partitions, TopicSettings defaults, long patienceMs) {
        this.brokerId = brokerId;
        this.partitions = partitions;
        this.defaults = defaults;
        this.patienceMs = patienceMs;
    }

    @Override
    public void registerListener(TopicPartition tp, Listener listener) {
        Marks marks = new Marks(tp, listener);
        listeners.put(listener, marks);
        int epoch = partitions.loadedEpoch(tp.partition());
        partitions.onLoop(tp.partition(), host -> host.coordinator().addMarkListener(epoch, marks), marks::retired);
    }

    @Override
    public void deregisterListener(TopicPartition tp, Listener listener) {
        Marks marks = listeners.remove(listener);
        if (marks != null) {
            marks.silent = true;
            partitions.onLoop(tp.partition(), host -> host.coordinator().removeMarkListener(marks), () -> {});
        }
    }

    private final class Marks implements MarkListener {
        private final TopicPartition tp;
        private final Listener listener;
        private volatile boolean silent;

        private Marks(TopicPartition tp, Listener listener) {
            this.tp = tp;
            this.listener = listener;
        }

        @Override
        public void reached(long highWatermark) {
            if (!silent) {
                listener.onHighWatermarkUpdated(tp, highWatermark);
            }
        }

        @Override
        public void retired() {
            silent = true;
            listeners.remove(listener, this);
        }
    }

    @Override
    public LogConfig config(TopicPartition tp) {
        int maxBytes = TopicSettings.of(partitions.image(), tp.topic(), brokerId, defaults, (key, value) -> {})
                .log()
                .maxMessageBytes();
        return configs.computeIfAbsent(
                maxBytes, bytes -> new LogConfig(Map.of(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, bytes)));
    }

    @Override
    public long append(TopicPartition tp, VerificationGuard guard, MemoryRecords records, short transactionVersion) {
        CoordinatorBatch batch = CoordinatorBatch.copyOf(records);
        int epoch = partitions.loadedEpoch(tp.partition());
        partitions.onLoop(
                tp.partition(),
                host -> host.coordinator().append(batch, epoch),
                () -> batch.end()
                        .completeExceptionally(new NotLeaderOrFollowerException(tp + " is not on this broker")));
        try {
            try {
                return batch.end().get(patienceMs, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                if (batch.withdraw()) {
                    throw new org.apache.kafka.common.errors.TimeoutException(
                            tp + " did not take a batch in " + patienceMs + " ms");
                }
                return batch.end().get(patienceMs, TimeUnit.MILLISECONDS);
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ApiException known ? known : new KafkaException(e.getCause());
        } catch (TimeoutException e) {
            throw new KafkaStorageException("a write to " + tp + " does not end", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            batch.withdraw();
            throw new org.apache.kafka.common.errors.InterruptException(e);
        }
    }

    @Override
    public CompletableFuture<VerificationGuard> maybeStartTransactionVerification(
            TopicPartition tp, String transactionalId, long producerId, short producerEpoch, int apiVersion) {
        return CompletableFuture.failedFuture(new InvalidTxnStateException("there are no transactions yet"));
    }

    @Override
    public CompletableFuture<Void> deleteRecords(TopicPartition tp, long deleteBeforeOffset) {
        return CompletableFuture.failedFuture(
                new UnsupportedVersionException("records of " + tp.topic() + " are removed by compaction alone"));
    }
}
