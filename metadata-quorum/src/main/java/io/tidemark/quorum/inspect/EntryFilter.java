package io.tidemark.quorum.inspect;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import java.util.List;

/**
 * Which entries, and which records of them, somebody wants to see. What is null or negative does not restrict.
 *
 * @param topic name or id
 * @param kind of command or record, in any case
 */
record EntryFilter(String topic, int partition, int broker, String kind) {
    static final EntryFilter ALL = new EntryFilter(null, -1, -1, null);

    /** Whether it is about the entry, whatever its records are. */
    private boolean cause(MetadataEntry entry) {
        return (topic == null)
                && (broker < 0 || entry.cause().brokerId() == broker)
                && (kind == null || entry.cause().kind().equalsIgnoreCase(kind));
    }

    boolean takes(MetadataEntry entry, TopicNames names) {
        return cause(entry) || !records(entry, names).isEmpty();
    }

    /** The records to show of an entry. */
    List<MetadataRecord> records(MetadataEntry entry, TopicNames names) {
        if (this.equals(ALL)) {
            return entry.records();
        }
        boolean anyRecord = kind == null || entry.cause().kind().equalsIgnoreCase(kind);
        boolean anyBroker = broker < 0 || entry.cause().brokerId() == broker;
        return entry.records().stream()
                .filter(record -> anyRecord || RecordFields.kind(record).equalsIgnoreCase(kind))
                .filter(record -> topic == null || concerns(record, names))
                .filter(record -> anyBroker || mentionsBroker(record))
                .toList();
    }

    private boolean concerns(MetadataRecord record, TopicNames names) {
        if (record instanceof MetadataRecord.ConfigSet set) {
            return partition < 0
                    && set.resource().type() == ConfigResource.Type.TOPIC
                    && names.isNamed(set.resource().name(), topic);
        }
        PartitionId id = partitionOf(record);
        TopicId topicId = id != null ? id.topicId() : topicOf(record);
        return topicId != null
                && names.isNamed(topicId, topic)
                && (partition < 0 || id == null || id.partition() == partition);
    }

    static PartitionId partitionOf(MetadataRecord record) {
        if (record instanceof MetadataRecord.PartitionChanged changed) {
            return changed.id();
        }
        return record instanceof MetadataRecord.PartitionCreated created
                ? created.state().id()
                : null;
    }

    static TopicId topicOf(MetadataRecord record) {
        if (record instanceof MetadataRecord.TopicCreated created) {
            return created.topicId();
        }
        return record instanceof MetadataRecord.TopicDeleted deleted ? deleted.topicId() : null;
    }

    /** The broker that a record of a broker is about, else -1. */
    static int brokerOf(MetadataRecord record) {
        if (record instanceof MetadataRecord.BrokerRegistered registered) {
            return registered.brokerId();
        } else if (record instanceof MetadataRecord.BrokerFenced fenced) {
            return fenced.brokerId();
        } else if (record instanceof MetadataRecord.BrokerUnfenced unfenced) {
            return unfenced.brokerId();
        } else if (record instanceof MetadataRecord.BrokerShuttingDown down) {
            return down.brokerId();
        } else if (record instanceof MetadataRecord.BrokerUnregistered gone) {
            return gone.brokerId();
        }
        return record instanceof MetadataRecord.ProducerIdsAllocated allocated ? allocated.brokerId() : -1;
    }

    private boolean mentionsBroker(MetadataRecord record) {
        if (record instanceof MetadataRecord.PartitionChanged change) {
            return Integer.valueOf(broker).equals(change.leader())
                    || has(change.isr())
                    || has(change.elr())
                    || has(change.lastKnownElr())
                    || has(change.replicas())
                    || has(change.adding())
                    || has(change.removing());
        }
        if (record instanceof MetadataRecord.PartitionCreated created) {
            return has(created.state().replicas());
        }
        if (record instanceof MetadataRecord.ConfigSet set) {
            return set.resource().equals(ConfigResource.broker(broker));
        }
        return brokerOf(record) == broker;
    }

    private boolean has(List<Integer> brokers) {
        return brokers != null && brokers.contains(broker);
    }
}
