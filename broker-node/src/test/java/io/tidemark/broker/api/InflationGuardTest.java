package io.tidemark.broker.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Random;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.ByteBufferOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The bound is never below what comes out, and no batch of the ordinary kind has to be unpacked to be let through. */
class InflationGuardTest {
    private static final long LIMIT = 64 << 20;

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void theBoundIsNotBelowWhatComesOut(CompressionType codec) throws IOException {
        Random random = new Random(11);
        for (int size : new int[] {0, 1, 100, 65_536, 131_073, 3_000_000}) {
            for (int variety : new int[] {1, 4, 256}) {
                byte[] bytes = new byte[size];
                for (int i = 0; i < size; i++) {
                    bytes[i] = (byte) random.nextInt(variety);
                }
                assertThat(InflationGuard.bound(packed(codec, bytes), codec, LIMIT))
                        .as("%s bytes of %s values", size, variety)
                        .isGreaterThanOrEqualTo(size);
            }
        }
    }

    /** A megabyte of text is let through by its structure alone: with no record in it, unpacking would refuse it. */
    @ParameterizedTest
    @EnumSource(
            value = CompressionType.class,
            names = {"SNAPPY", "ZSTD", "LZ4", "GZIP"})
    void anOrdinaryBatchIsNotUnpacked(CompressionType codec) throws IOException {
        byte[] text = new byte[50_000];
        Random random = new Random(3);
        for (int i = 0; i < text.length; i++) {
            text[i] = (byte) ('a' + random.nextInt(26));
        }
        ByteBuffer packed = packed(codec, text);
        assertThatCode(() -> check(packed, codec, false)).doesNotThrowAnyException();
        assertThatThrownBy(() -> check(packed, codec, true)).isInstanceOf(InvalidRecordException.class);
    }

    @ParameterizedTest
    @EnumSource(
            value = CompressionType.class,
            names = {"SNAPPY", "ZSTD", "LZ4", "GZIP"})
    void moreThanTheLimitIsTooLarge(CompressionType codec) throws IOException {
        byte[] zeros = new byte[(int) LIMIT + 100];
        // One record of almost all of it: a length of four bytes, in zigzag.
        org.apache.kafka.common.utils.ByteUtils.writeVarint((int) LIMIT + 50, ByteBuffer.wrap(zeros));
        assertThatThrownBy(() -> check(packed(codec, zeros), codec, false)).isInstanceOf(RecordTooLargeException.class);
    }

    @Test
    void snappyWithoutFramingIsReadable() {
        // A block of 1,000 bytes that is one literal of them.
        ByteBuffer packed = ByteBuffer.allocate(1005);
        packed.put(new byte[] {(byte) 0xE8, 0x07, (byte) 0xF4, (byte) 0xE7, 0x03});
        packed.put(new byte[] {(byte) 0xCC, 0x0F}); // a record of 998 bytes
        packed.position(0);
        assertThat(InflationGuard.bound(packed.duplicate(), CompressionType.SNAPPY, LIMIT))
                .isEqualTo(1000);
        assertThatCode(() -> check(packed, CompressionType.SNAPPY, true)).doesNotThrowAnyException();
    }

    /** Of 8 bytes, the last 4 a length of -8: the walk must not stand still. */
    @Test
    @Timeout(20)
    void aZstdFrameThatLeadsBackIsNotFollowed() {
        byte[] back = {0x50, 0x2A, 0x4D, 0x18, -8, -1, -1, -1};
        assertThatThrownBy(() -> check(ByteBuffer.wrap(back), CompressionType.ZSTD, false))
                .isInstanceOf(InvalidRecordException.class);
    }

    private static void check(ByteBuffer packed, CompressionType codec, boolean everyRecord) {
        InflationGuard.check(packed, codec, 1, LIMIT, everyRecord, BufferSupplier.create());
    }

    private static ByteBuffer packed(CompressionType codec, byte[] bytes) throws IOException {
        ByteBufferOutputStream packed = new ByteBufferOutputStream(1024);
        try (OutputStream out = Compression.of(codec).build().wrapForOutput(packed, RecordBatch.MAGIC_VALUE_V2)) {
            out.write(bytes);
        }
        return packed.buffer().flip();
    }
}
