package io.tidemark.broker.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tidemark.model.fuzz.Proportion;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever bytes a connection brings: frames are cut where they end, and a request is read or refused as unreadable. */
class RequestFuzzTest {
    private static final int MAX_FRAME = 1 << 20;
    /** Two bytes of a request become an object of some dozens. */
    private static final int BYTES_PER_BYTE = 400;
    /** What a reader may hold for a frame of which it has seen little. */
    private static final int UNPROVEN = 64 << 10;

    static Stream<byte[]> requests() {
        return Stream.of(ApiKeys.values())
                .flatMap(key -> key.allVersions().stream()
                        .flatMap(version -> Stream.of(SampleRequests.empty(key), SampleRequests.filled(key, version))
                                .map(body -> SampleRequests.bytes(key, version, 1, body))));
    }

    @Timeout(120)
    @MethodSource("requests")
    @FuzzTest(maxDuration = "3m")
    void aRequest(byte[] frame) throws Exception {
        Proportion.hold(frame.length, BYTES_PER_BYTE, () -> {
            RequestParser.Parsed parsed;
            try {
                parsed = RequestParser.parse(ByteBuffer.wrap(frame));
            } catch (InvalidFrameException e) {
                assertThat(e.getMessage()).isNotEmpty();
                return;
            }
            assertThat(parsed.header().toResponseHeader()).isNotNull();
            assertThat(parsed.body().version()).isGreaterThanOrEqualTo((short) 0);
        });
    }

    static Stream<byte[]> streams() {
        ByteBuffer three = ByteBuffer.allocate(200);
        three.put((byte) 7).putInt(3).put(new byte[3]).putInt(1).put((byte) 9).putInt(100);
        ByteBuffer pieces = ByteBuffer.allocate(100).put((byte) 0).putInt(90);
        return Stream.of(
                three.array(), pieces.array(), new byte[] {1, 0, 0, 0, 0}, new byte[] {5, -1, -1, -1, -1}, new byte[] {
                    3, 0x7F, -1, -1, -1
                });
    }

    /** The first byte says in what pieces the others arrive. */
    @Timeout(120)
    @MethodSource("streams")
    @FuzzTest(maxDuration = "3m")
    void aStreamOfFrames(byte[] input) throws Exception {
        if (input.length == 0) {
            return;
        }
        int piece = 1 + (input[0] & 0xFF);
        FramePool pool = new FramePool(() -> true);
        FrameBudget budget = new FrameBudget(Long.MAX_VALUE - 1);
        FrameReader reader = new FrameReader(pool, MAX_FRAME, budget);
        var handle = reader.allocator().newHandle();
        ByteBuffer expected = ByteBuffer.wrap(input, 1, input.length - 1);
        List<ByteBuf> frames = new ArrayList<>();
        boolean broken = false;
        try {
            for (int at = 1; at < input.length && !broken; ) {
                ByteBuf buffer = handle.allocate(null);
                int length = Math.min(Math.min(piece, input.length - at), buffer.writableBytes());
                buffer.writeBytes(input, at, length);
                at += length;
                reader.received(buffer);
                for (ByteBuf frame = reader.next(); frame != null; frame = reader.next()) {
                    frames.add(frame);
                    byte[] content = new byte[expected.getInt()];
                    expected.get(content);
                    assertThat(frame).isEqualTo(Unpooled.wrappedBuffer(content));
                }
            }
        } catch (InvalidFrameException e) {
            broken = true;
            int length = expected.getInt();
            assertThat(length <= 0 || length > MAX_FRAME).isTrue();
        }
        // Each frame may keep the buffer it came in, which had at most the size of a read.
        assertThat(budget.used()).isLessThanOrEqualTo((1L + frames.size()) * UNPROVEN + 8L * input.length);
        if (!broken) {
            int left = expected.remaining();
            assertThat(left < 4 || left - 4 < expected.getInt(expected.position()))
                    .isTrue();
        }
        reader.close();
        frames.forEach(ByteBuf::release);
        assertThat(budget.used()).isZero();
        pool.close();
    }
}
