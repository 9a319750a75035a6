package io.tidemark.broker.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tidemark.broker.log.BatchHeader;
import io.tidemark.broker.log.LogSettings;
import io.tidemark.broker.runtime.ClientBatch;
import io.tidemark.broker.runtime.TopicSettings;
import io.tidemark.model.fuzz.Proportion;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.utils.BufferSupplier;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a producer sends as its batch is refused with a reason, or every consumer can read what is appended. */
class ProducedBatchFuzzTest {
    private static final long BASE = 1000;
    private static final int EPOCH = 7;
    /** Buffers that grow while the records of a batch within the limit are packed anew, and an object of each record. */
    private static final long REPACKING = 512 << 20;

    private static final int BYTES_PER_BYTE = 400;
    private static final List<String> TARGETS =
            List.of("producer", "uncompressed", "lz4", "zstd", "snappy", "gzip", "producer", "producer");

    static Stream<byte[]> batches() {
        return Stream.of(CompressionType.values())
                .flatMap(codec -> Stream.of(0, 1, 2, 4, 16, 32)
                        .flatMap(flags -> Stream.of(1, 5).map(count -> batch(codec, count, flags))));
    }

    private static byte[] batch(CompressionType codec, int count, int flags) {
        SimpleRecord[] records = new SimpleRecord[count];
        for (int i = 0; i < count; i++) {
            byte[] text = ("some words " + i).getBytes(StandardCharsets.US_ASCII);
            records[i] = new SimpleRecord(i, text, text);
        }
        ByteBuffer bytes = MemoryRecords.withRecords(Compression.of(codec).build(), records)
                .buffer();
        return ByteBuffer.allocate(1 + bytes.remaining())
                .put((byte) flags)
                .put(bytes)
                .array();
    }

    /** The first byte: 1 = length, format and checksum are made right; 2..8 = compression; 16 = compacted; 32 = append time. */
    @Timeout(120)
    @MethodSource("batches")
    @FuzzTest(maxDuration = "3m")
    void aBatch(byte[] input) throws Exception {
        if (input.length == 0) {
            return;
        }
        int flags = input[0];
        ByteBuffer batch = ByteBuffer.allocate(input.length - 1);
        batch.put(input, 1, input.length - 1).flip();
        if ((flags & 1) != 0 && batch.remaining() >= BatchHeader.SIZE) {
            batch.putInt(8, batch.remaining() - BatchHeader.OVERHEAD).put(16, (byte) 2);
            CRC32C crc = new CRC32C();
            crc.update(batch.duplicate().position(21));
            batch.putInt(17, (int) crc.getValue());
        }
        TopicSettings settings = new TopicSettings(
                LogSettings.DEFAULTS,
                TARGETS.get((flags >> 1) & 7),
                (flags & 32) != 0,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                (flags & 16) != 0 ? "compact" : "delete");
        boolean packed = batch.remaining() >= BatchHeader.SIZE && (batch.getShort(21) & 7) != 0
                || !settings.compression().equals("producer");
        Proportion.hold((packed ? REPACKING / BYTES_PER_BYTE : 0) + batch.remaining(), BYTES_PER_BYTE, () -> {
            FakeCall call = new FakeCall(new ApiVersionsRequest.Builder().build());
            ByteBuffer appended;
            int count;
            try {
                ProducedBatch produced = ProducedBatch.of(
                        new TopicPartition("t", 0),
                        MemoryRecords.readableRecords(batch),
                        call,
                        (error, base, start, time, message, cause) -> {});
                count = produced.header().count();
                appended = produced.validated(settings, BASE, EPOCH);
            } catch (ApiException | ClientBatch.RefusedException e) {
                return;
            }
            try {
                isReadable(appended, count);
            } catch (InvalidRecordException e) {
                // Kafka's validation, which is used here, does not look into the values of a batch that stays packed as
                // it came; its consumers meet the same error.
                assertThat(packed).isTrue();
            }
        });
    }

    private static void isReadable(ByteBuffer appended, int count) {
        int batches = 0;
        long offset = BASE;
        for (MutableRecordBatch batch :
                MemoryRecords.readableRecords(appended.duplicate()).batches()) {
            batches++;
            batch.ensureValid();
            assertThat(batch.baseOffset()).isEqualTo(BASE);
            assertThat(batch.isControlBatch()).isFalse();
            for (Record record : batch) {
                // As in Kafka, nobody looks at the offset within the batch that a plain record says it has.
                if (batch.isCompressed()) {
                    assertThat(record.offset()).isEqualTo(offset);
                }
                offset++;
            }
            assertThat(batch.lastOffset()).isEqualTo(offset - 1);
        }
        assertThat(batches).isEqualTo(1);
        assertThat(offset - BASE).isEqualTo(count);
    }

    static Stream<byte[]> packed() {
        return batches().map(batch -> {
            byte[] records = new byte[batch.length - BatchHeader.SIZE];
            System.arraycopy(batch, 1 + BatchHeader.SIZE, records, 1, records.length - 1);
            records[0] = (byte) (batch[22 + 1] & 7);
            return records;
        });
    }

    /** The first byte chooses the codec: what is let through unread unpacks to no more than its bound. */
    @Timeout(120)
    @MethodSource("packed")
    @FuzzTest(maxDuration = "3m")
    void packedRecords(byte[] input) throws Exception {
        if (input.length == 0) {
            return;
        }
        long limit = 1 << 20;
        CompressionType codec = CompressionType.forId(Math.floorMod(input[0], CompressionType.values().length));
        ByteBuffer packed = ByteBuffer.wrap(input, 1, input.length - 1).slice();
        Proportion.hold(input.length, BYTES_PER_BYTE, () -> {
            try {
                InflationGuard.check(packed, codec, 1, limit, (input[0] & 64) != 0, BufferSupplier.NO_CACHING);
            } catch (org.apache.kafka.common.InvalidRecordException | RecordTooLargeException e) {
                return;
            }
            // Beyond the limit the records were looked at one by one, and what is behind the last of them nobody reads.
            long bound = InflationGuard.bound(packed.duplicate(), codec, limit);
            long unpacked = 0;
            try (var in = Compression.of(codec)
                    .build()
                    .wrapForInput(packed.duplicate(), (byte) 2, BufferSupplier.NO_CACHING)) {
                byte[] scratch = new byte[8192];
                for (int read = in.read(scratch); read > 0 && bound <= limit; read = in.read(scratch)) {
                    unpacked += read;
                    if (unpacked > bound) {
                        throw new AssertionError("more comes out than the bound " + bound);
                    }
                }
            } catch (java.io.IOException | RuntimeException e) {
                assertThat(e).isNotNull(); // not readable after all: validation says so
            }
        });
    }
}
