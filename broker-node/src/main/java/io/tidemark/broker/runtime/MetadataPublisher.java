package io.tidemark.broker.runtime;

import io.tidemark.broker.log.LogName;
import io.tidemark.broker.replica.BrokerView;
import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.broker.replica.ReplicaSettings;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.LocalChanges;
import io.tidemark.model.metadata.PartitionState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries each new image to the partitions of this broker: a partition hears of its state with the brokers and the topic
 * configuration of the same image (B3). Called by one thread, the follower of the metadata log.
 */
public final class MetadataPublisher implements MetadataWaiter {
    private static final Logger LOG = LoggerFactory.getLogger(MetadataPublisher.class);

    private final ReplicaSettings replicaSettings;
    private final TopicSettings topicDefaults;
    private final Partitions partitions;
    private volatile ClusterImage image = ClusterImage.EMPTY;
    private final NavigableMap<Long, CompletableFuture<Void>> waiting = new TreeMap<>();

    public MetadataPublisher(ReplicaSettings replicaSettings, TopicSettings topicDefaults, Partitions partitions) {
        this.replicaSettings = replicaSettings;
        this.topicDefaults = topicDefaults;
        this.partitions = partitions;
    }

    /** Any thread: the newest image published. */
    public ClusterImage image() {
        return image;
    }

    @Override
    public CompletionStage<Void> whenApplied(long index) {
        CompletableFuture<Void> done;
        synchronized (waiting) {
            if (image.index() >= index) {
                return CompletableFuture.completedFuture(null);
            }
            done = waiting.computeIfAbsent(index, ignored -> new CompletableFuture<>());
        }
        return done;
    }

    /** The next image; never one with a lower index than before. */
    public void publish(ClusterImage after) {
        ClusterImage before = image;
        LocalChanges changes = LocalChanges.between(before, after, replicaSettings.self());
        image = after;
        for (PartitionId id : changes.removed()) {
            PartitionLoop loop = partitions.loopOf(id);
            loop.post(() -> {
                PartitionHost host = loop.host(id);
                if (host != null) {
                    host.remove();
                }
            });
        }
        for (PartitionState state : changes.changed()) {
            publish(state, after);
        }
        for (PartitionState state : changes.eligibility()) {
            PartitionLoop loop = partitions.loopOf(state.id());
            ReplicaEvent.EligibilityChanged event =
                    new ReplicaEvent.EligibilityChanged(viewOf(state, after), after.index());
            loop.post(() -> {
                PartitionHost host = loop.host(state.id());
                if (host != null) {
                    host.eligibility(event);
                }
            });
        }
        for (PartitionState state : changes.reconfigured()) {
            PartitionLoop loop = partitions.loopOf(state.id());
            TopicSettings settings = settingsOf(state, after);
            loop.post(() -> {
                PartitionHost host = loop.host(state.id());
                if (host != null) {
                    host.settings(settings);
                }
            });
        }
        for (PartitionLoop loop : partitions.loops()) {
            loop.ports().quotas().configure(after, replicaSettings.self());
            loop.post(() -> loop.feedReached(after.index()));
        }
        complete(after.index());
    }

    private void publish(PartitionState state, ClusterImage after) {
        PartitionLoop loop = partitions.loopOf(state.id());
        String topic = after.topic(state.id().topicId()).name();
        LogName name = new LogName(topic, state.id().partition());
        TopicSettings settings = settingsOf(state, after);
        ReplicaEvent.MetadataChanged event =
                new ReplicaEvent.MetadataChanged(state, viewOf(state, after), after.index());
        loop.post(() -> {
            PartitionHost host = loop.host(state.id());
            if (host == null) {
                host = PartitionHost.create(state.id(), name, loop, settings, replicaSettings);
            }
            host.metadata(event, settings);
        });
    }

    private TopicSettings settingsOf(PartitionState state, ClusterImage after) {
        String topic = after.topic(state.id().topicId()).name();
        return TopicSettings.of(
                after,
                topic,
                replicaSettings.self(),
                topicDefaults,
                (key, value) -> LOG.warn("topic {}: {} = {} cannot be used, the default stays", topic, key, value));
    }

    private static Map<Integer, BrokerView> viewOf(PartitionState state, ClusterImage image) {
        Map<Integer, BrokerView> views = new HashMap<>();
        for (int id : state.replicas()) {
            BrokerState broker = image.broker(id);
            if (broker != null) {
                views.put(id, new BrokerView(id, broker.epoch(), broker.active(), broker.rack()));
            }
        }
        return views;
    }

    private void complete(long index) {
        Map<Long, CompletableFuture<Void>> reached;
        synchronized (waiting) {
            NavigableMap<Long, CompletableFuture<Void>> head = waiting.headMap(index, true);
            reached = new TreeMap<>(head);
            head.clear();
        }
        reached.values().forEach(done -> done.complete(null));
    }

    /** Removes the logs that recovery found and that this image does not give to this broker. */
    public void removeStrays() {
        ClusterImage current = image;
        for (PartitionLoop loop : partitions.loops()) {
            loop.post(() -> {
                for (PartitionHost host : List.copyOf(loop.hosts())) {
                    PartitionState state = current.partition(host.id());
                    if (host.state() == null
                            && (state == null || !state.replicas().contains(replicaSettings.self()))) {
                        LOG.warn("[{}] is not assigned to this broker any more: its log is removed", host.name());
                        host.remove();
                    }
                }
            });
        }
    }
}
