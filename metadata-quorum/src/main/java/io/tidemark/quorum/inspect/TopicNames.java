package io.tidemark.quorum.inspect;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import java.util.HashMap;
import java.util.Map;

/** What topics were called, also those that are gone: records tell them by id only. */
final class TopicNames {
    private final Map<TopicId, String> names = new HashMap<>();

    void learn(ClusterImage image) {
        image.topics().forEach((id, topic) -> names.put(id, topic.name()));
    }

    void learn(MetadataEntry entry) {
        for (MetadataRecord record : entry.records()) {
            if (record instanceof MetadataRecord.TopicCreated created) {
                names.put(created.topicId(), created.name());
            }
        }
    }

    /** The name, or the id where it is not known. */
    String of(TopicId id) {
        String name = names.get(id);
        return name == null ? id.toString() : name;
    }

    String of(PartitionId id) {
        return of(id.topicId()) + "-" + id.partition();
    }

    /** Whether that is the topic's name or its id. */
    boolean isNamed(TopicId id, String nameOrId) {
        return nameOrId.equals(names.get(id)) || nameOrId.equals(id.toString());
    }

    /** Whether a topic of that name is meant; of topics that had the same name one after the other, each is. */
    boolean isNamed(String name, String nameOrId) {
        return nameOrId.equals(name)
                || names.entrySet().stream()
                        .anyMatch(topic -> topic.getValue().equals(name)
                                && topic.getKey().toString().equals(nameOrId));
    }

    /** The text with ids of known topics replaced by their names. */
    String inWords(String text) {
        String words = text;
        for (Map.Entry<TopicId, String> topic : names.entrySet()) {
            String id = topic.getKey().toString();
            if (words.contains(id)) {
                words = words.replace(id, topic.getValue());
            }
        }
        return words;
    }
}
