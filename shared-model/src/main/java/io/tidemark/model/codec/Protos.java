package io.tidemark.model.codec;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.tidemark.model.EpochAndOffset;
import io.tidemark.model.EpochHistory;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.codec.proto.EndpointP;
import io.tidemark.model.codec.proto.EpochStartP;
import io.tidemark.model.codec.proto.FloorP;
import io.tidemark.model.codec.proto.IdsP;
import io.tidemark.model.codec.proto.PartitionIdP;
import io.tidemark.model.codec.proto.SeatReportP;
import io.tidemark.model.codec.proto.UuidP;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.SeatReport;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The small values that all messages share, to and from protobuf, and the strict reading of messages. */
final class Protos {
    /** Larger messages are few, and a copy of them is not worth the time it saves. */
    private static final int COMPARED_BYTES = 64 * 1024;

    private Protos() {}

    /** Parses and refuses unknown fields at every depth: they were written by a newer version and must not be dropped. */
    static <T extends Message> T parse(Parser<T> parser, byte[] bytes, String what) {
        try {
            if (bytes.length <= COMPARED_BYTES) {
                // The usual case at a fifth of the cost: what comes out as it went in had nothing unknown in it.
                T known = DiscardUnknownFieldsParser.wrap(parser).parseFrom(bytes);
                if (known.getSerializedSize() == bytes.length && Arrays.equals(known.toByteArray(), bytes)) {
                    return known;
                }
            }
            T message = parser.parseFrom(bytes);
            refuseUnknown(message, what);
            return message;
        } catch (InvalidProtocolBufferException e) {
            throw new UnreadableException(what + " is damaged: " + e.getMessage(), e);
        }
    }

    /** Turns a message into values of the model; one that the model refuses is as unreadable as damaged bytes. */
    static <T> T reading(String what, Supplier<T> values) {
        try {
            return values.get();
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new UnreadableException(what + " contradicts itself: " + e.getMessage(), e);
        }
    }

    private static void refuseUnknown(Message message, String what) {
        if (!message.getUnknownFields().asMap().isEmpty()) {
            throw new UnreadableException(what + " has fields that this version does not know (in "
                    + message.getDescriptorForType().getName() + ": "
                    + message.getUnknownFields().asMap().keySet() + "); run the version that wrote it");
        }
        for (Map.Entry<FieldDescriptor, Object> field : message.getAllFields().entrySet()) {
            if (field.getKey().getJavaType() != FieldDescriptor.JavaType.MESSAGE) {
                continue;
            }
            if (field.getValue() instanceof List<?> list) {
                list.forEach(element -> refuseUnknown((Message) element, what));
            } else {
                refuseUnknown((Message) field.getValue(), what);
            }
        }
    }

    static UuidP of(TopicId id) {
        return UuidP.newBuilder().setHigh(id.high()).setLow(id.low()).build();
    }

    static TopicId topicId(UuidP id) {
        return new TopicId(id.getHigh(), id.getLow());
    }

    static PartitionIdP of(PartitionId id) {
        return PartitionIdP.newBuilder()
                .setTopic(of(id.topicId()))
                .setPartition(id.partition())
                .build();
    }

    static PartitionId partitionId(PartitionIdP id) {
        return new PartitionId(topicId(id.getTopic()), id.getPartition());
    }

    static EndpointP of(Endpoint endpoint) {
        return EndpointP.newBuilder()
                .setListener(endpoint.listener())
                .setHost(endpoint.host())
                .setPort(endpoint.port())
                .build();
    }

    static Endpoint endpoint(EndpointP endpoint) {
        return new Endpoint(endpoint.getListener(), endpoint.getHost(), endpoint.getPort());
    }

    static FloorP of(Floor floor) {
        return FloorP.newBuilder()
                .setKindValue(floor.kind().ordinal())
                .setOffset(floor.offset())
                .setEpoch(floor.epoch())
                .setExact(floor.exact())
                .build();
    }

    static Floor floor(FloorP floor) {
        return switch (floor.getKind()) {
            case NONE -> Floor.NONE;
            case UNKNOWN -> Floor.UNKNOWN;
            case KNOWN -> Floor.known(floor.getOffset(), floor.getEpoch(), floor.getExact());
            case UNRECOGNIZED -> throw new UnreadableException("unknown kind of floor " + floor.getKindValue());
        };
    }

    static SeatReportP of(SeatReport report) {
        SeatReportP.Builder builder = SeatReportP.newBuilder()
                .setBroker(report.brokerId())
                .setPartition(of(report.partition()))
                .setLogStart(report.logStart())
                .setLogEnd(report.logEnd());
        for (EpochAndOffset entry : report.epochs().entries()) {
            builder.addEpochs(EpochStartP.newBuilder().setEpoch(entry.epoch()).setOffset(entry.offset()));
        }
        return builder.build();
    }

    static SeatReport seatReport(SeatReportP report) {
        List<EpochAndOffset> entries = new ArrayList<>();
        for (EpochStartP entry : report.getEpochsList()) {
            entries.add(new EpochAndOffset(entry.getEpoch(), entry.getOffset()));
        }
        return new SeatReport(
                report.getBroker(),
                partitionId(report.getPartition()),
                report.getLogStart(),
                report.getLogEnd(),
                EpochHistory.of(entries));
    }

    static IdsP ids(List<Integer> ids) {
        return IdsP.newBuilder().addAllIds(ids).build();
    }

    static List<List<Integer>> assignment(List<IdsP> lists) {
        List<List<Integer>> result = new ArrayList<>();
        lists.forEach(ids -> result.add(List.copyOf(ids.getIdsList())));
        return result;
    }

    static List<IdsP> assignmentOf(List<List<Integer>> lists) {
        List<IdsP> result = new ArrayList<>();
        lists.forEach(ids -> result.add(ids(ids)));
        return result;
    }
}
