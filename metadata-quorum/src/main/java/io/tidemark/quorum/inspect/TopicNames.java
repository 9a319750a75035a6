package io.tidemark.quorum.inspect;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

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

    /** Every topic that ever had that name (or has that id), as far as it is known. */
    Set<TopicId> idsOf(String nameOrId) {
        Set<TopicId> ids = new HashSet<>();
        names.forEach((id, name) -> {
            if (name.equals(nameOrId) || id.toString().equals(nameOrId)) {
                ids.add(id);
            }
        });
        return ids;
    }

    boolean isNamed(TopicId id, String nameOrId) {
        return nameOrId.equals(names.get(id)) || nameOrId.equals(id.toString());
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
