package io.tidemark.model.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.model.EpochHistory;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.codec.proto.MetadataEntryP;
import io.tidemark.model.codec.proto.MetadataRecordP;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.SeatReport;
import java.lang.reflect.Array;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kind of record, command, reply and query is read as it was written; what a newer version wrote is refused. */
class CodecTest {
    private static final int VALUES_PER_KIND = 200;

    /** Fields that may be null: they say "unchanged", or "remove". */
    private static final List<Class<?>> NULLABLE =
            List.of(MetadataRecord.PartitionChanged.class, MetadataRecord.ConfigSet.class);

    /** Random values of the model, made from the shapes of its records, so that a new kind or field is covered unasked. */
    private static final class Values {
        private final Random random;

        Values(long seed) {
            random = new Random(seed);
        }

        <T> T of(Class<T> type) {
            return type.cast(value(type, Object.class));
        }

        private Object value(Type type, Class<?> owner) {
            if (type instanceof ParameterizedType generic) {
                Type[] of = generic.getActualTypeArguments();
                return generic.getRawType() == Map.class ? map(of[0], of[1], owner) : list(of[0], owner);
            }
            Class<?> raw = (Class<?>) type;
            if (raw == int.class || raw == Integer.class) {
                return owner == PartitionId.class || random.nextBoolean() ? random.nextInt(5) : random.nextInt();
            } else if (raw == long.class) {
                return random.nextBoolean() ? random.nextInt(3) - 1L : random.nextLong();
            } else if (raw == boolean.class || raw == Boolean.class) {
                return random.nextBoolean();
            } else if (raw == String.class) {
                return random.nextInt(4) == 0 ? "" : "s\u00e9\u4e16" + random.nextInt(100);
            } else if (raw.isEnum()) {
                return raw.getEnumConstants()[random.nextInt(raw.getEnumConstants().length)];
            } else if (raw == Floor.class) {
                return List.of(Floor.NONE, Floor.UNKNOWN, Floor.known(random.nextLong(), 3, random.nextBoolean()))
                        .get(random.nextInt(3));
            } else if (raw == EpochHistory.class) {
                return random.nextBoolean() ? EpochHistory.EMPTY : EpochHistory.of(0, 0, 3, 1 + random.nextInt(9));
            } else if (raw == byte[].class) {
                byte[] bytes = (byte[]) Array.newInstance(byte.class, random.nextInt(9));
                random.nextBytes(bytes);
                return bytes;
            } else if (raw == ClusterImage.class) {
                return ClusterImage.EMPTY;
            } else if (raw == PartitionState.class) {
                PartitionState state = record(PartitionState.class);
                return new PartitionState(
                        state.id(),
                        state.replicas(),
                        state.isr(),
                        state.elr(),
                        state.lastKnownElr(),
                        state.leader(),
                        state.leaderEpoch(),
                        state.partitionEpoch(),
                        state.recovering(),
                        state.adding(),
                        state.removing(),
                        state.floor(),
                        state.unproven(),
                        0);
            } else if (raw.isSealed()) {
                Class<?>[] kinds = raw.getPermittedSubclasses();
                return value(kinds[random.nextInt(kinds.length)], owner);
            }
            return record(raw);
        }

        private <T> T record(Class<T> type) {
            RecordComponent[] components = type.getRecordComponents();
            Object[] arguments = new Object[components.length];
            Class<?>[] types = new Class<?>[components.length];
            for (int i = 0; i < components.length; i++) {
                types[i] = components[i].getType();
                boolean mayBeNull = NULLABLE.contains(type)
                        && !types[i].isPrimitive()
                        && types[i] != PartitionId.class
                        && types[i] != ConfigResource.class
                        && !components[i].getName().equals("key");
                arguments[i] = mayBeNull && random.nextBoolean() ? null : value(components[i].getGenericType(), type);
            }
            try {
                var constructor = type.getDeclaredConstructor(types);
                return constructor.newInstance(arguments);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(type + " " + Arrays.toString(arguments), e);
            }
        }

        private List<Object> list(Type element, Class<?> owner) {
            List<Object> list = new ArrayList<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                list.add(value(element, owner));
            }
            return list;
        }

        private Map<Object, Object> map(Type key, Type value, Class<?> owner) {
            Map<Object, Object> map = new HashMap<>();
            for (int i = random.nextInt(3); i > 0; i--) {
                map.put(value(key, owner), value(value, owner));
            }
            return map;
        }
    }

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

    private static MetadataEntry entry(Values values, List<MetadataRecord> records) {
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
            Values values = new Values(seed);
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
            QuorumCommand command = new Values(seed).of(kind);
            assertThat(CommandCodec.decodeCommand(CommandCodec.encode(command)))
                    .as("seed %d", seed)
                    .isEqualTo(command);
        }
    }

    @ParameterizedTest
    @MethodSource("replies")
    void repliesComeBack(Class<? extends QuorumReply> kind) {
        for (int seed = 0; seed < VALUES_PER_KIND; seed++) {
            QuorumReply.Answer answer = new QuorumReply.Answer(seed, new Values(seed).of(kind));
            assertThat(CommandCodec.decodeAnswer(CommandCodec.encode(answer)))
                    .as("seed %d", seed)
                    .isEqualTo(answer);
        }
    }

    @ParameterizedTest
    @MethodSource("queries")
    void queriesComeBack(Class<? extends QuorumQuery> kind) {
        for (int seed = 0; seed < VALUES_PER_KIND; seed++) {
            QuorumQuery query = new Values(seed).of(kind);
            assertThat(QueryCodec.decodeQuery(QueryCodec.encode(query))).isEqualTo(query);
        }
    }

    @Test
    void answersToQueriesComeBack() {
        for (int seed = 0; seed < VALUES_PER_KIND; seed++) {
            Values values = new Values(seed);
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
        }
        assertThatThrownBy(() -> QueryCodec.decodePoll(QueryCodec.encodeFailure("why")))
                .isInstanceOf(QueryCodec.QueryFailedException.class)
                .hasMessage("why");
        byte[] heartbeat = QueryCodec.encode(new QuorumQuery.HeartbeatAnswer(ErrorCode.NONE, 1, true, false, false));
        assertThatThrownBy(() -> QueryCodec.decodePoll(heartbeat)).isInstanceOf(UnreadableException.class);
    }

    private static MetadataEntryP written() {
        MetadataEntry entry = entry(new Values(1), List.of(new MetadataRecord.TopicCreated("t", new TopicId(1, 2))));
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
            Values values = new Values(seed);
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
