package io.tidemark.broker.api;

import io.tidemark.broker.log.BatchHeader;
import io.tidemark.broker.net.Call;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.runtime.ClientBatch;
import io.tidemark.broker.runtime.TopicSettings;
import java.nio.ByteBuffer;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.PrimitiveRef;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.LogValidator;
import org.apache.kafka.storage.internals.log.RecordValidationException;

/** One partition's batch of a Produce request, as a slice of the request's frame; its answer is a row of the response. */
final class ProducedBatch implements ClientBatch {
    private static final int LENGTH_AT = 8;
    private static final int MAGIC_AT = 16;
    /**
     * Validation makes an object of each record: some 64 MB of them. A batch that has more is one of tiny records,
     * compressed; Kafka's producer splits it when told so.
     */
    private static final int MAX_RECORDS = 1_000_000;
    /** Bound of the unpacked records of a batch, unless the topic takes even larger batches. */
    private static final long MAX_UNPACKED_BYTES = 64L << 20;

    private static final ThreadLocal<BufferSupplier> BUFFERS = ThreadLocal.withInitial(BufferSupplier::create);

    /** Hears what became of the batch. */
    interface Outcome {
        /** @param logAppendTimeMs time stamped by the broker, -1 if the producer's stand */
        void known(
                ReplicaError error,
                long base,
                long logStart,
                long logAppendTimeMs,
                String message,
                RuntimeException cause);
    }

    private final TopicPartition name;
    private final MemoryRecords records;
    private final BatchHeader header;
    private final Call call;
    private final Outcome outcome;
    private long logAppendTimeMs = -1;

    private ProducedBatch(TopicPartition name, MemoryRecords records, BatchHeader header, Call call, Outcome outcome) {
        this.name = name;
        this.records = records;
        this.header = header;
        this.call = call;
        this.outcome = outcome;
    }

    /** Takes the batch out of its request and keeps the frame. Throws ApiException if it is not exactly one v2 batch. */
    static ProducedBatch of(TopicPartition name, MemoryRecords records, Call call, Outcome outcome) {
        if (records == null || records.buffer().remaining() < MAGIC_AT + 1) {
            throw new InvalidRecordException("a produce request has one batch per partition");
        }
        ByteBuffer buffer = records.buffer();
        long size = (long) buffer.getInt(buffer.position() + LENGTH_AT) + BatchHeader.OVERHEAD;
        if (size <= MAGIC_AT) {
            throw new CorruptRecordException("the batch says it has " + size + " bytes");
        }
        byte magic = buffer.get(buffer.position() + MAGIC_AT);
        if (magic < RecordBatch.MAGIC_VALUE_V0 || magic > RecordBatch.MAGIC_VALUE_V2) {
            ValidationCounts.OF_PROCESS.recordInvalidMagic();
            throw new CorruptRecordException("there is no batch format " + magic);
        }
        if (magic != RecordBatch.MAGIC_VALUE_V2) {
            throw new InvalidRecordException("batches of format " + magic + " are not accepted");
        }
        if (size < BatchHeader.SIZE) {
            throw new CorruptRecordException("the batch says it has " + size + " bytes");
        }
        if (size != buffer.remaining()) {
            throw new InvalidRecordException(
                    "the one batch of a partition says it has " + size + " bytes, there are " + buffer.remaining());
        }
        // Before anything in the header is believed, the producer's sequence above all.
        if (!BatchHeader.checksumMatches(buffer, buffer.position(), buffer.remaining())) {
            ValidationCounts.OF_PROCESS.recordInvalidChecksums();
            throw new CorruptRecordException("the batch's checksum does not match its bytes");
        }
        BatchHeader header = BatchHeader.read(buffer, buffer.position());
        call.retainFrame();
        return new ProducedBatch(name, records, header, call, outcome);
    }

    @Override
    public BatchHeader header() {
        return header;
    }

    @Override
    public ByteBuffer validated(TopicSettings settings, long baseOffset, int leaderEpoch) {
        try {
            check(settings);
            CompressionType source = compression();
            Compression target = target(settings.compression(), source);
            if (source == CompressionType.NONE && target.type() == source && isSound(settings)) {
                ByteBuffer batch = records.buffer();
                BatchHeader.assign(batch, batch.position(), baseOffset, leaderEpoch);
                return batch;
            }
            if (source != CompressionType.NONE) {
                ByteBuffer packed = records.buffer();
                packed.position(packed.position() + BatchHeader.SIZE);
                InflationGuard.check(
                        packed,
                        source,
                        header.count(),
                        Math.max(MAX_UNPACKED_BYTES, settings.log().maxMessageBytes()),
                        target.type() != source,
                        BUFFERS.get());
            }
            LogValidator.ValidationResult result = new LogValidator(
                            records,
                            name,
                            Time.SYSTEM,
                            source,
                            target,
                            settings.compacted(),
                            RecordBatch.MAGIC_VALUE_V2,
                            settings.logAppendTime() ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME,
                            settings.timestampBeforeMaxMs(),
                            settings.timestampAfterMaxMs(),
                            leaderEpoch,
                            AppendOrigin.CLIENT)
                    .validateMessagesAndAssignOffsets(
                            PrimitiveRef.ofLong(baseOffset), ValidationCounts.OF_PROCESS, BUFFERS.get());
            if (settings.logAppendTime()) {
                logAppendTimeMs = result.logAppendTimeMs();
            }
            return result.validatedRecords().buffer();
        } catch (RecordValidationException | ApiException e) {
            throw new RefusedException(e);
        } catch (RuntimeException e) {
            // The parsers of compressed data throw what they like; what a client sent must not look like a fault of
            // ours.
            throw new RefusedException(new InvalidRecordException("the records cannot be read: " + e.getMessage(), e));
        }
    }

    private boolean isSound(TopicSettings settings) {
        long now = Time.SYSTEM.milliseconds();
        long latest = settings.timestampAfterMaxMs() > Long.MAX_VALUE - now
                ? Long.MAX_VALUE
                : now + settings.timestampAfterMaxMs();
        ByteBuffer batch = records.buffer();
        return !settings.logAppendTime()
                && PlainRecords.areSound(
                        batch,
                        batch.position(),
                        header,
                        settings.compacted(),
                        now - settings.timestampBeforeMaxMs(),
                        latest);
    }

    private CompressionType compression() {
        int id = header.attributes() & 0x07;
        if (id > CompressionType.ZSTD.id) {
            throw new InvalidRecordException("there is no compression " + id);
        }
        return CompressionType.forId(id);
    }

    private void check(TopicSettings settings) {
        if (header.sizeInBytes() > settings.log().maxMessageBytes()) {
            throw new RecordTooLargeException("a batch of " + header.sizeInBytes() + " bytes is larger than the "
                    + settings.log().maxMessageBytes() + " allowed");
        }
        if (header.count() > MAX_RECORDS) {
            throw new RecordTooLargeException(
                    "a batch of " + header.count() + " records has more than the " + MAX_RECORDS + " allowed");
        }
        if (header.isTransactional()) {
            throw new InvalidRecordException("transactions are not supported yet");
        }
        if (header.isControl()) {
            throw new InvalidRecordException("clients do not write control batches");
        }
    }

    private static Compression target(String configured, CompressionType source) {
        return configured.equals("producer")
                ? Compression.of(source).build()
                : Compression.of(configured.equals("uncompressed") ? "none" : configured)
                        .build();
    }

    @Override
    public void release() {
        call.releaseFrame();
    }

    @Override
    public void answered(ReplicaError error, long baseOffset, long logStart, String message, RefusedException cause) {
        RuntimeException why = cause == null ? null : (RuntimeException) cause.getCause();
        outcome.known(error, baseOffset, logStart, logAppendTimeMs, message, why);
    }
}
