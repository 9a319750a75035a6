package io.tidemark.model.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.fuzz.Proportion;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.QuorumReply;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever bytes a codec of the metadata is given, it returns a value that it writes and reads again, or says with an
 * UnreadableException that it cannot: nothing else is thrown, and no memory is taken that the bytes do not explain.
 */
class CodecFuzzTest {
    /** Two bytes of a message become an object of some dozens. */
    private static final int BYTES_PER_BYTE = 400;

    private static <T> void decode(byte[] bytes, Function<byte[], T> decoder, Function<T, byte[]> encoder)
            throws Exception {
        Proportion.hold(bytes.length, BYTES_PER_BYTE, () -> {
            T value;
            try {
                value = decoder.apply(bytes);
            } catch (UnreadableException e) {
                return;
            }
            assertThat(decoder.apply(encoder.apply(value))).isEqualTo(value);
        });
    }

    static Stream<byte[]> entries() {
        return IntStream.range(0, 60).mapToObj(seed -> {
            RandomValues values = new RandomValues(seed);
            return RecordCodec.encode(new MetadataEntry(
                    seed,
                    5,
                    values.of(MetadataEntry.Cause.class),
                    List.of(values.of(MetadataRecord.class)),
                    values.of(QuorumReply.class)));
        });
    }

    @Timeout(120)
    @MethodSource("entries")
    @FuzzTest(maxDuration = "3m")
    void anEntryOfTheMetadataLog(byte[] bytes) throws Exception {
        decode(bytes, RecordCodec::decode, RecordCodec::encode);
    }

    static Stream<byte[]> commands() {
        return IntStream.range(0, 60)
                .mapToObj(seed -> CommandCodec.encode(new RandomValues(seed).of(QuorumCommand.class)));
    }

    @Timeout(120)
    @MethodSource("commands")
    @FuzzTest(maxDuration = "3m")
    void aCommand(byte[] bytes) throws Exception {
        decode(bytes, CommandCodec::decodeCommand, CommandCodec::encode);
    }

    static Stream<byte[]> answers() {
        return IntStream.range(0, 60)
                .mapToObj(seed -> CommandCodec.encode(
                        new QuorumReply.Answer(seed, new RandomValues(seed).of(QuorumReply.class))));
    }

    @Timeout(120)
    @MethodSource("answers")
    @FuzzTest(maxDuration = "3m")
    void anAnswerToACommand(byte[] bytes) throws Exception {
        decode(bytes, CommandCodec::decodeAnswer, CommandCodec::encode);
    }

    static Stream<byte[]> queries() {
        return IntStream.range(0, 60).mapToObj(seed -> QueryCodec.encode(new RandomValues(seed).of(QuorumQuery.class)));
    }

    @Timeout(120)
    @MethodSource("queries")
    @FuzzTest(maxDuration = "3m")
    void aQuery(byte[] bytes) throws Exception {
        decode(bytes, QueryCodec::decodeQuery, QueryCodec::encode);
    }

    static Stream<byte[]> answersToQueries() {
        return IntStream.range(0, 60).boxed().flatMap(seed -> {
            RandomValues values = new RandomValues(seed);
            return Stream.of(
                    QueryCodec.encode(values.of(QuorumQuery.HeartbeatAnswer.class)),
                    QueryCodec.encode(values.of(QuorumQuery.PollAnswer.class)),
                    QueryCodec.encode(values.of(QuorumQuery.StatusAnswer.class)),
                    QueryCodec.encode(values.of(QuorumQuery.HistoryAnswer.class)),
                    QueryCodec.encodeFailure("why " + seed));
        });
    }

    @Timeout(120)
    @MethodSource("answersToQueries")
    @FuzzTest(maxDuration = "3m")
    void anAnswerToAQuery(byte[] bytes) throws Exception {
        List<Function<byte[], ?>> decoders = List.of(
                QueryCodec::decodeHeartbeat,
                QueryCodec::decodePoll,
                QueryCodec::decodeStatus,
                QueryCodec::decodeHistory,
                QueryCodec::decodeKeyframe);
        for (Function<byte[], ?> decoder : decoders) {
            Proportion.hold(bytes.length, BYTES_PER_BYTE, () -> {
                try {
                    assertThat(decoder.apply(bytes)).isNotNull();
                } catch (UnreadableException | QueryCodec.QueryFailedException e) {
                    assertThat(e.getMessage()).isNotNull();
                }
            });
        }
    }

    static Stream<byte[]> images() {
        TopicId topic = new TopicId(1, 2);
        ClusterImage image = ClusterImage.EMPTY.apply(
                0,
                new MetadataEntry(
                        ClusterImage.EMPTY.tip(),
                        1000,
                        new MetadataEntry.Cause("Test", -1, -1, "", ""),
                        List.of(
                                new MetadataRecord.BrokerRegistered(
                                        1,
                                        MetadataRecord.BrokerRegistered.THIS_INDEX,
                                        "incarnation",
                                        List.of("directory"),
                                        List.of(new Endpoint("L", "host", 9092)),
                                        "rack",
                                        "boot",
                                        1,
                                        1,
                                        true),
                                new MetadataRecord.ConfigSet(ConfigResource.CLUSTER_DEFAULT, "k", "v"),
                                new MetadataRecord.TopicCreated("t", topic),
                                new MetadataRecord.PartitionCreated(PartitionState.created(
                                        new PartitionId(topic, 0), List.of(1, 2), List.of(1, 2), 1))),
                        new QuorumReply.Done()));
        byte[] whole = SnapshotCodec.encode(image);
        return Stream.of(SnapshotCodec.encode(ClusterImage.EMPTY), whole, Arrays.copyOf(whole, whole.length / 2));
    }

    @Timeout(120)
    @MethodSource("images")
    @FuzzTest(maxDuration = "3m")
    void aSnapshot(byte[] bytes) throws Exception {
        Proportion.hold(bytes.length, BYTES_PER_BYTE, () -> {
            ClusterImage image;
            try {
                image = SnapshotCodec.decode(bytes);
            } catch (UnreadableException e) {
                return;
            }
            ClusterImage again = SnapshotCodec.decode(SnapshotCodec.encode(image));
            assertThat(again.digest()).isEqualTo(image.digest());
        });
    }
}
