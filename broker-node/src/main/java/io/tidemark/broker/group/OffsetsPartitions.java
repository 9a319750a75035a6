package io.tidemark.broker.group;

import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.TopicState;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.common.internals.Topic;

/**
 * The way from a coordinator's thread to a partition of {@code __consumer_offsets} on its loop, with the leader epoch
 * this broker was elected in. Thread-safe.
 */
final class OffsetsPartitions {
    static final String TOPIC = Topic.GROUP_METADATA_TOPIC_NAME;
    /** An epoch that no partition is ever led in. */
    static final int NOT_ELECTED = -1;

    private final Supplier<ClusterImage> image;
    private final Partitions partitions;
    private final Map<Integer, Integer> elected = new ConcurrentHashMap<>();
    private final Map<Integer, Integer> loaded = new ConcurrentHashMap<>();

    OffsetsPartitions(Supplier<ClusterImage> image, Partitions partitions) {
        this.image = image;
        this.partitions = partitions;
    }

    ClusterImage image() {
        return image.get();
    }

    /** This broker leads the partition in that epoch. Called before the coordinator hears of it. */
    void elected(int partition, int leaderEpoch) {
        elected.put(partition, leaderEpoch);
    }

    void resigned(int partition) {
        elected.remove(partition);
    }

    /** The epoch a load that starts now is for. Appends are for that epoch until the next load. */
    int startLoading(int partition) {
        int epoch = elected.getOrDefault(partition, NOT_ELECTED);
        loaded.put(partition, epoch);
        return epoch;
    }

    /** The epoch the partition's coordinator was loaded in, {@link #NOT_ELECTED} if it was not. */
    int loadedEpoch(int partition) {
        return loaded.getOrDefault(partition, NOT_ELECTED);
    }

    /** Runs {@code work} on the partition's loop, or {@code missing} there or here if the partition is not on this broker. */
    void onLoop(int partition, Consumer<PartitionHost> work, Runnable missing) {
        TopicState topic = image.get().topic(TOPIC);
        if (topic == null) {
            missing.run();
            return;
        }
        PartitionId id = new PartitionId(topic.id(), partition);
        PartitionLoop loop = partitions.loopOf(id);
        loop.post(() -> {
            PartitionHost host = loop.host(id);
            if (host == null) {
                missing.run();
            } else {
                work.accept(host);
            }
        });
    }
}
