package io.tidemark.model.codec;

import io.tidemark.model.codec.proto.SnapshotP;
import io.tidemark.model.codec.proto.TopicP;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.ImageBuilder;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.TopicState;
import java.util.Map;

/** A whole image to and from bytes: snapshots of controllers, and the start of a reader that is too far behind. */
public final class SnapshotCodec {
    /** Version written, and the highest that is read. */
    public static final int VERSION = 1;

    private SnapshotCodec() {}

    public static byte[] encode(ClusterImage image) {
        return of(image).toByteArray();
    }

    /** Throws {@link UnreadableException} for damage and for anything a newer version wrote. */
    public static ClusterImage decode(byte[] bytes) {
        return image(Protos.parse(SnapshotP.parser(), bytes, "a metadata snapshot"));
    }

    static SnapshotP of(ClusterImage image) {
        SnapshotP.Builder builder = SnapshotP.newBuilder()
                .setVersion(VERSION)
                .setIndex(image.index())
                .setTip(image.tip())
                .setTimestampMs(image.timestampMs())
                .setHistoryId(image.historyId())
                .setLevel(image.level())
                .setNextProducerId(image.nextProducerId());
        image.brokers().values().forEach(broker -> builder.addBrokers(RecordCodec.of(broker)));
        for (ConfigResource resource : image.configs().keySet()) {
            for (Map.Entry<String, String> value : image.configs(resource).entrySet()) {
                builder.addConfigs(RecordCodec.of(resource, value.getKey(), value.getValue()));
            }
        }
        for (TopicState topic : image.topics().values()) {
            builder.addTopics(TopicP.newBuilder().setName(topic.name()).setId(Protos.of(topic.id())));
            for (PartitionState partition : topic.partitions()) {
                builder.addPartitions(RecordCodec.of(partition));
            }
        }
        return builder.build();
    }

    static ClusterImage image(SnapshotP snapshot) {
        if (snapshot.getVersion() != VERSION) {
            throw new UnreadableException("a metadata snapshot has version " + snapshot.getVersion()
                    + ", this program reads version " + VERSION);
        }
        return Protos.reading("a metadata snapshot", () -> restored(snapshot));
    }

    private static ClusterImage restored(SnapshotP snapshot) {
        ImageBuilder builder = new ImageBuilder(ClusterImage.EMPTY, snapshot.getIndex());
        builder.restore(
                snapshot.getTip(),
                snapshot.getTimestampMs(),
                snapshot.getHistoryId(),
                snapshot.getLevel(),
                snapshot.getNextProducerId());
        snapshot.getBrokersList().forEach(broker -> builder.restore(RecordCodec.broker(broker)));
        snapshot.getConfigsList()
                .forEach(config -> builder.restore(RecordCodec.resource(config), config.getKey(), config.getValue()));
        snapshot.getTopicsList().forEach(topic -> builder.restore(topic.getName(), Protos.topicId(topic.getId())));
        snapshot.getPartitionsList().forEach(partition -> builder.restore(RecordCodec.partition(partition)));
        return builder.build();
    }
}
