package io.tidemark.quorum.inspect;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.SeatReport;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A record as fields with names that stay: what text and JSON show of it. A partition's fields are those that changed. */
final class RecordFields {
    private RecordFields() {}

    static String kind(MetadataRecord record) {
        return record.getClass().getSimpleName();
    }

    /** @param index of the entry: the epoch of a broker that registers with it */
    static Map<String, Object> of(MetadataRecord record, long index, TopicNames names) {
        Map<String, Object> fields = new LinkedHashMap<>();
        if (record instanceof MetadataRecord.PartitionChanged changed) {
            partition(fields, changed.id(), names);
            changed(fields, changed);
        } else if (record instanceof MetadataRecord.PartitionCreated created) {
            partition(fields, created.state().id(), names);
            state(fields, created.state());
        } else if (record instanceof MetadataRecord.TopicCreated created) {
            fields.put("topic", created.name());
            fields.put("topicId", created.topicId().toString());
        } else if (record instanceof MetadataRecord.TopicDeleted deleted) {
            fields.put("topic", names.of(deleted.topicId()));
            fields.put("topicId", deleted.topicId().toString());
        } else if (record instanceof MetadataRecord.BrokerRegistered registered) {
            registered(fields, registered, index);
        } else if (record instanceof MetadataRecord.BrokerFenced fenced) {
            broker(fields, fenced.brokerId(), fenced.brokerEpoch());
        } else if (record instanceof MetadataRecord.BrokerUnfenced unfenced) {
            broker(fields, unfenced.brokerId(), unfenced.brokerEpoch());
        } else if (record instanceof MetadataRecord.BrokerShuttingDown down) {
            broker(fields, down.brokerId(), down.brokerEpoch());
        } else if (record instanceof MetadataRecord.BrokerUnregistered gone) {
            broker(fields, gone.brokerId(), gone.brokerEpoch());
        } else if (record instanceof MetadataRecord.ConfigSet set) {
            fields.put("type", set.resource().type().name());
            fields.put("name", set.resource().name());
            fields.put("key", set.key());
            fields.put("value", set.value());
        } else if (record instanceof MetadataRecord.ProducerIdsAllocated allocated) {
            broker(fields, allocated.brokerId(), allocated.brokerEpoch());
            fields.put("nextProducerId", allocated.nextProducerId());
        } else if (record instanceof MetadataRecord.LevelFinalized finalized) {
            fields.put("level", finalized.level());
        } else if (record instanceof MetadataRecord.HistoryBegun begun) {
            fields.put("historyId", String.format("%016x", begun.id()));
        } else {
            fields.put("record", record.toString());
        }
        return fields;
    }

    private static void partition(Map<String, Object> fields, PartitionId id, TopicNames names) {
        fields.put("topic", names.of(id.topicId()));
        fields.put("topicId", id.topicId().toString());
        fields.put("partition", id.partition());
    }

    private static void broker(Map<String, Object> fields, int id, long epoch) {
        fields.put("broker", id);
        fields.put("brokerEpoch", epoch);
    }

    private static void registered(Map<String, Object> fields, MetadataRecord.BrokerRegistered record, long index) {
        boolean anew = record.epoch() == MetadataRecord.BrokerRegistered.THIS_INDEX;
        broker(fields, record.brokerId(), anew ? index : record.epoch());
        fields.put("incarnation", record.incarnationId());
        fields.put("directories", record.directoryIds());
        fields.put(
                "endpoints", record.endpoints().stream().map(RecordFields::of).toList());
        fields.put("rack", record.rack());
        fields.put("bootEvidence", record.bootEvidence());
        fields.put("minLevel", record.minLevel());
        fields.put("maxLevel", record.maxLevel());
        fields.put("fenced", record.fenced());
    }

    static String of(Endpoint endpoint) {
        return endpoint.listener() + "://" + endpoint.host() + ":" + endpoint.port();
    }

    private static void changed(Map<String, Object> fields, MetadataRecord.PartitionChanged change) {
        put(fields, "leader", change.leader());
        put(fields, "isr", change.isr());
        put(fields, "elr", change.elr());
        put(fields, "lastKnownElr", change.lastKnownElr());
        put(fields, "recovering", change.recovering());
        put(fields, "replicas", change.replicas());
        put(fields, "adding", change.adding());
        put(fields, "removing", change.removing());
        put(fields, "floor", change.floor() == null ? null : of(change.floor()));
        put(fields, "unproven", change.unproven() == null ? null : reports(change.unproven()));
    }

    private static void put(Map<String, Object> fields, String name, Object value) {
        if (value != null) {
            fields.put(name, value);
        }
    }

    /** All there is to know of a partition but its name. */
    static void state(Map<String, Object> fields, PartitionState state) {
        fields.put("leader", state.leader());
        fields.put("leaderEpoch", state.leaderEpoch());
        fields.put("partitionEpoch", state.partitionEpoch());
        fields.put("replicas", state.replicas());
        fields.put("isr", state.isr());
        fields.put("elr", state.elr());
        fields.put("lastKnownElr", state.lastKnownElr());
        fields.put("recovering", state.recovering());
        fields.put("adding", state.adding());
        fields.put("removing", state.removing());
        fields.put("floor", of(state.floor()));
        fields.put("unproven", reports(state.unproven()));
    }

    static List<String> reports(List<SeatReport> reports) {
        return reports.stream()
                .map(report -> "broker " + report.brokerId() + ": " + report.logStart() + ".." + report.logEnd())
                .toList();
    }

    /** none, unknown, or the offset and epoch. */
    static String of(Floor floor) {
        return switch (floor.kind()) {
            case NONE -> "none";
            case UNKNOWN -> "unknown";
            case KNOWN -> (floor.exact() ? "" : "at most ") + "offset " + floor.offset() + " in epoch " + floor.epoch();
        };
    }
}
