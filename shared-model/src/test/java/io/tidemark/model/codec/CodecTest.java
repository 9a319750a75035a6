package io.tidemark.model.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.model.TopicId;
import io.tidemark.model.codec.proto.MetadataEntryP;
import io.tidemark.model.codec.proto.MetadataRecordP;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.SeatReport;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kind of record, command, reply and query is read as it was written; what a newer version wrote is refused. */
class CodecTest {
    private static final int VALUES_PER_KIND = 200;

    /** The kinds of a sealed interface. */
    private static <T> Stream<Class<? extends T>> kinds(Class<T> sealed) {
        return Arrays.stream(sealed.getPermittedSubclasses())
                .filter(kind -> sealed.isAssignableFrom(kind))
                .map(kind -> kind.asSubclass(sealed));
    }

    static Stream<Class<? extends MetadataRecord>> records() {
        return kinds(MetadataRecord.class);
    }

    static Stream<Class<? extends QuorumCommand>> commands() {
        return kinds(QuorumCommand.class);
    }

    static Stream<Class<? extends QuorumReply>> replies() {
        return kinds(QuorumReply.class);
    }

    static Stream<Class<? extends QuorumQuery>> queries() {
        return kinds(QuorumQuery.class);
    }

    private static MetadataEntry entry(RandomValues values, List<MetadataRecord> records) {
        return new MetadataEntry(
                values.of(QuorumReply.ProducerIds.class).first(),
                5,
                values.of(MetadataEntry.Cause.class),
                records,
                values.of(QuorumReply.class));
    }

    @ParameterizedTest
    @MethodSource("records")
    void recordsComeBack(Class<? extends MetadataRecord> kind) {
        for (int seed = 0; seed < VALUES_PER_KIND; seed++) {
            RandomValues values = new RandomValues(seed);
            MetadataEntry entry = entry(values, List.of(values.of(kind), values.of(MetadataRecord.class)));
            assertThat(RecordCodec.decode(RecordCodec.encode(entry)))
                    .as("seed %d", seed)
                    .isEqualTo(entry);
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void commandsComeBack(Class<? extends QuorumCommand> kind) {
        for (int seed = 0; seed < VALUES_PER_KIND; seed++) {
            QuorumCommand command = new RandomValues(seed).of(kind);
            assertThat(CommandCodec.decodeCommand(CommandCodec.encode(command)))
                    .as("seed %d", seed)
                    .isEqualTo(command);
        }
    }

    @ParameterizedTest
    @MethodSource("replies")
    void repliesComeBack(Class<? extends QuorumReply> kind) {
        for (int seed = 0; seed < VALUES_PER_KIND; seed++) {
            QuorumReply.Answer answer = new QuorumReply.Answer(seed, new RandomValues(seed).of(kind));
            assertThat(CommandCodec.decodeAnswer(CommandCodec.encode(answer)))
                    .as("seed %d", seed)
                    .isEqualTo(answer);
        }
    }

    @ParameterizedTest
    @MethodSource("queries")
    void queriesComeBack(Class<? extends QuorumQuery> kind) {
        for (int seed = 0; seed < VALUES_PER_KIND; seed++) {
            QuorumQuery query = new RandomValues(seed).of(kind);
            assertThat(QueryCodec.decodeQuery(QueryCodec.encode(query))).isEqualTo(query);
        }
    }

    @Test
    void answersToQueriesComeBack() {
        for (int seed = 0; seed < VALUES_PER_KIND; seed++) {
            RandomValues values = new RandomValues(seed);
            QuorumQuery.HeartbeatAnswer heartbeat = values.of(QuorumQuery.HeartbeatAnswer.class);
            assertThat(QueryCodec.decodeHeartbeat(QueryCodec.encode(heartbeat))).isEqualTo(heartbeat);
            QuorumQuery.PollAnswer poll = values.of(QuorumQuery.PollAnswer.class);
            assertThat(QueryCodec.decodePoll(QueryCodec.encode(poll)))
                    .usingRecursiveComparison()
                    .ignoringFields("image")
                    .isEqualTo(poll);
            QuorumQuery.StatusAnswer status = values.of(QuorumQuery.StatusAnswer.class);
            assertThat(QueryCodec.decodeStatus(QueryCodec.encode(status)))
                    .usingRecursiveComparison()
                    .ignoringFields("image")
                    .isEqualTo(status);
            QuorumQuery.HistoryAnswer history = values.of(QuorumQuery.HistoryAnswer.class);
            assertThat(QueryCodec.decodeHistory(QueryCodec.encode(history)))
                    .usingRecursiveComparison()
                    .isEqualTo(history);
        }
        assertThatThrownBy(() -> QueryCodec.decodePoll(QueryCodec.encodeFailure("why")))
                .isInstanceOf(QueryCodec.QueryFailedException.class)
                .hasMessage("why");
        byte[] heartbeat = QueryCodec.encode(new QuorumQuery.HeartbeatAnswer(ErrorCode.NONE, 1, true, false, false, 5));
        assertThatThrownBy(() -> QueryCodec.decodePoll(heartbeat)).isInstanceOf(UnreadableException.class);
    }

    private static MetadataEntryP written() {
        MetadataEntry entry =
                entry(new RandomValues(1), List.of(new MetadataRecord.TopicCreated("t", new TopicId(1, 2))));
        try {
            return MetadataEntryP.parseFrom(RecordCodec.encode(entry));
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    /** A field of number 4000, which nobody knows. */
    private static com.google.protobuf.UnknownFieldSet unknown() {
        return com.google.protobuf.UnknownFieldSet.newBuilder()
                .addField(
                        4000,
                        com.google.protobuf.UnknownFieldSet.Field.newBuilder()
                                .addVarint(1)
                                .build())
                .build();
    }

    @Test
    void whatANewerVersionWroteIsRefused() {
        MetadataEntryP good = written();
        assertThat(RecordCodec.decode(good.toByteArray()).records()).hasSize(1);
        MetadataRecordP record = good.getRecords(0);
        List<MetadataEntryP> newer = List.of(
                good.toBuilder().setVersion(RecordCodec.VERSION + 1).build(),
                good.toBuilder().setUnknownFields(unknown()).build(),
                good.toBuilder()
                        .setCause(good.getCause().toBuilder().setUnknownFields(unknown()))
                        .build(),
                // An unknown kind of record is an unknown field without a known kind.
                good.toBuilder()
                        .setRecords(0, MetadataRecordP.newBuilder().setUnknownFields(unknown()))
                        .build(),
                good.toBuilder().setRecords(0, MetadataRecordP.newBuilder()).build(),
                good.toBuilder()
                        .setRecords(
                                0,
                                record.toBuilder()
                                        .setTopicCreated(record.getTopicCreated().toBuilder()
                                                .setUnknownFields(unknown())))
                        .build());
        for (MetadataEntryP entry : newer) {
            assertThatThrownBy(() -> RecordCodec.decode(entry.toByteArray())).isInstanceOf(UnreadableException.class);
        }
    }

    @Test
    void damageIsRefused() {
        byte[] bytes = written().toByteArray();
        assertThatThrownBy(() -> RecordCodec.decode(Arrays.copyOf(bytes, bytes.length - 1)))
                .isInstanceOf(UnreadableException.class);
        assertThatThrownBy(() -> CommandCodec.decodeCommand(new byte[] {1, 2, 3}))
                .isInstanceOf(UnreadableException.class);
        assertThatThrownBy(() -> CommandCodec.decodeCommand(new byte[0])).isInstanceOf(UnreadableException.class);
        assertThatThrownBy(() -> QueryCodec.decodeQuery(new byte[0])).isInstanceOf(UnreadableException.class);
    }

    @Test
    void theValuesReachEveryKindOfEndpointAndSeat() {
        // The generator is itself under test: it must fill nested lists and leave nullable fields out at times.
        boolean endpoints = false;
        boolean seats = false;
        boolean unchanged = false;
        for (int seed = 0; seed < VALUES_PER_KIND; seed++) {
            RandomValues values = new RandomValues(seed);
            List<Endpoint> some =
                    values.of(MetadataRecord.BrokerRegistered.class).endpoints();
            MetadataRecord.PartitionChanged change = values.of(MetadataRecord.PartitionChanged.class);
            List<SeatReport> unproven = change.unproven();
            endpoints |= !some.isEmpty();
            seats |= unproven != null && !unproven.isEmpty();
            unchanged |= change.leader() == null && change.isr() != null;
        }
        assertThat(endpoints && seats && unchanged).isTrue();
    }
}
