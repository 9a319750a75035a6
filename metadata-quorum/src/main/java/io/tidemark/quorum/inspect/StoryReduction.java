package io.tidemark.quorum.inspect;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Leaves of each entry what one partition's story needs: its own records, those of brokers and of its min ISR. */
final class StoryReduction implements UnaryOperator<MetadataEntry> {
    private final String topic;
    private final int partition;
    private final Set<TopicId> ids = new HashSet<>();

    StoryReduction(String topic, int partition) {
        this.topic = topic;
        this.partition = partition;
    }

    /** The state became known at some point: the topic may be there. */
    void learn(ClusterImage image) {
        TopicState state = image.topic(topic);
        if (state != null) {
            ids.add(state.id());
        }
    }

    @Override
    public MetadataEntry apply(MetadataEntry entry) {
        List<MetadataRecord> kept = new ArrayList<>();
        for (MetadataRecord record : entry.records()) {
            if (keeps(record)) {
                kept.add(record);
            }
        }
        return kept.size() == entry.records().size()
                ? entry
                : new MetadataEntry(entry.basedOn(), entry.timestampMs(), entry.cause(), kept, entry.reply());
    }

    private boolean keeps(MetadataRecord record) {
        if (record instanceof MetadataRecord.PartitionChanged changed) {
            return isOurs(changed.id());
        } else if (record instanceof MetadataRecord.PartitionCreated created) {
            // The partitions before it, too: they come in order.
            return ids.contains(created.state().id().topicId());
        } else if (record instanceof MetadataRecord.TopicCreated created) {
            return created.name().equals(topic) && ids.add(created.topicId());
        } else if (record instanceof MetadataRecord.TopicDeleted deleted) {
            return ids.contains(deleted.topicId());
        } else if (record instanceof MetadataRecord.ConfigSet set) {
            return set.resource().equals(ConfigResource.topic(topic))
                    || set.resource().equals(ConfigResource.CLUSTER_DEFAULT);
        }
        return EntryFilter.brokerOf(record) >= 0 && !(record instanceof MetadataRecord.ProducerIdsAllocated)
                || record instanceof MetadataRecord.LevelFinalized;
    }

    private boolean isOurs(PartitionId id) {
        return id.partition() == partition && ids.contains(id.topicId());
    }
}
