package io.tidemark.broker.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.log.BatchHeader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.PrimitiveRef;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.LogValidator;
import org.junit.jupiter.api.Test;

/** What passes is what Kafka's own validator appends unchanged; what producers send passes. */
class PlainRecordsTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final long BASE = 77;
    private static final int EPOCH = 5;

    private static ByteBuffer batch(Random random, boolean keyed) {
        List<SimpleRecord> records = new ArrayList<>();
        int count = 1 + random.nextInt(5);
        for (int i = 0; i < count; i++) {
            byte[] key = keyed || random.nextBoolean() ? bytes(random) : null;
            byte[] value = random.nextInt(4) > 0 ? bytes(random) : null;
            Header[] headers = new Header[random.nextInt(3)];
            for (int h = 0; h < headers.length; h++) {
                headers[h] = new RecordHeader("h" + h, random.nextBoolean() ? bytes(random) : null);
            }
            records.add(new SimpleRecord(NOW + random.nextInt(1000), key, value, headers));
        }
        ByteBuffer made = MemoryRecords.withIdempotentRecords(
                        Compression.NONE, 9, (short) 1, random.nextInt(100), records.toArray(SimpleRecord[]::new))
                .buffer();
        return ByteBuffer.allocateDirect(made.remaining()).put(made).flip();
    }

    private static byte[] bytes(Random random) {
        return "x".repeat(random.nextInt(200)).getBytes(StandardCharsets.US_ASCII);
    }

    private static void sign(ByteBuffer batch) {
        CRC32C crc = new CRC32C();
        crc.update(batch.duplicate().position(21));
        batch.putInt(17, (int) crc.getValue());
    }

    private static boolean sound(ByteBuffer batch, boolean keyed) {
        return PlainRecords.areSound(batch, 0, BatchHeader.read(batch, 0), keyed, 0, NOW + 10_000);
    }

    /** Null if Kafka's validator refuses the batch. */
    private static ByteBuffer appended(ByteBuffer batch, boolean keyed) {
        ByteBuffer copy = ByteBuffer.allocate(batch.remaining());
        copy.put(batch.duplicate()).flip();
        try {
            return new LogValidator(
                            MemoryRecords.readableRecords(copy),
                            new TopicPartition("t", 0),
                            Time.SYSTEM,
                            CompressionType.NONE,
                            Compression.NONE,
                            keyed,
                            RecordBatch.MAGIC_VALUE_V2,
                            TimestampType.CREATE_TIME,
                            Long.MAX_VALUE,
                            Long.MAX_VALUE,
                            EPOCH,
                            AppendOrigin.CLIENT)
                    .validateMessagesAndAssignOffsets(
                            PrimitiveRef.ofLong(BASE), ValidationCounts.OF_PROCESS, BufferSupplier.NO_CACHING)
                    .validatedRecords()
                    .buffer();
        } catch (RuntimeException e) {
            return null;
        }
    }

    @Property(tries = 500, shrinking = ShrinkingMode.OFF)
    void whatProducersSendPasses(@ForAll long seed) {
        Random random = new Random(seed);
        boolean keyed = random.nextBoolean();
        assertThat(sound(batch(random, keyed), keyed)).isTrue();
    }

    @Property(tries = 3000, shrinking = ShrinkingMode.OFF)
    void whatPassesIsAppendedUnchangedByKafkasValidator(@ForAll long seed) {
        Random random = new Random(seed);
        boolean keyed = random.nextBoolean();
        ByteBuffer batch = batch(random, random.nextBoolean());
        for (int i = random.nextInt(3); i > 0; i--) {
            // Behind the length; most of it in the records, where a byte is likely to be a length.
            int at = random.nextInt(4) == 0 ? 21 + random.nextInt(40) : 61 + random.nextInt(batch.limit() - 61);
            batch.put(at, (byte) (random.nextBoolean() ? random.nextInt(256) : batch.get(at) + 2 - random.nextInt(5)));
        }
        sign(batch);
        if (sound(batch, keyed)) {
            ByteBuffer kafkas = appended(batch, keyed);
            assertThat(kafkas).as("Kafka's validator takes it").isNotNull();
            BatchHeader.assign(batch, 0, BASE, EPOCH);
            assertThat(kafkas).isEqualTo(batch);
        }
    }

    @Test
    void timestampsAreBoundedAndKeysAsked() {
        ByteBuffer batch = MemoryRecords.withRecords(
                        Compression.NONE, new SimpleRecord(NOW, "v".getBytes(StandardCharsets.US_ASCII)))
                .buffer();
        BatchHeader header = BatchHeader.read(batch, 0);
        assertThat(PlainRecords.areSound(batch, 0, header, false, NOW, NOW)).isTrue();
        assertThat(PlainRecords.areSound(batch, 0, header, true, NOW, NOW)).isFalse();
        assertThat(PlainRecords.areSound(batch, 0, header, false, NOW + 1, NOW + 1))
                .isFalse();
        assertThat(PlainRecords.areSound(batch, 0, header, false, NOW - 1, NOW - 1))
                .isFalse();
    }
}
