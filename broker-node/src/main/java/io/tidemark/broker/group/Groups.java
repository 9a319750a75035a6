package io.tidemark.broker.group;

import com.yammer.metrics.core.MetricsRegistry;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.broker.runtime.QuorumPort;
import io.tidemark.broker.runtime.TopicSettings;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.TopicState;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.coordinator.group.GroupCoordinator;
import org.apache.kafka.coordinator.group.GroupCoordinatorService;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorMetrics;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorRuntimeMetrics;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.server.share.persister.NoOpStatePersister;
import org.apache.kafka.server.util.timer.SystemTimer;
import org.apache.kafka.server.util.timer.SystemTimerReaper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The groups of this broker. Kafka's coordinator is started when {@code __consumer_offsets} exists, whose number of
 * partitions it never changes; it hears of every election and resignation in the order of the metadata.
 */
public final class Groups implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Groups.class);
    private static final long APPEND_PATIENCE_MS = 10_000;

    private final int brokerId;
    private final GroupSettings settings;
    private final GroupConfigs configs;
    private final TopicSettings topicDefaults;
    private final Supplier<ClusterImage> image;
    private final OffsetsPartitions partitions;
    private final OffsetsTopic offsetsTopic;
    private final ExecutorService metadataThread;

    /** The newest image, handed to the thread that tells the coordinator of topics. */
    private final AtomicReference<ClusterImage> untold = new AtomicReference<>();

    private final GroupMetadata metadata = new GroupMetadata();
    private final MetricsRegistry registry = new MetricsRegistry();
    private volatile GroupCoordinator coordinator;
    private boolean closed;
    /** As last seen: belongs to the thread that publishes. */
    private TopicState offsets;

    private final Map<Integer, Integer> elected = new HashMap<>();

    /** @param image the cluster as this broker has applied it; {@link #published} is told of each after that */
    public Groups(
            int brokerId,
            GroupSettings settings,
            TopicSettings topicDefaults,
            Supplier<ClusterImage> image,
            Partitions partitions,
            QuorumPort quorum) {
        this.brokerId = brokerId;
        this.settings = settings;
        this.configs = new GroupConfigs(settings);
        this.topicDefaults = topicDefaults;
        this.image = image;
        this.partitions = new OffsetsPartitions(image, partitions);
        this.offsetsTopic = new OffsetsTopic(quorum, settings.coordinator(), brokerId);
        this.metadataThread = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "broker-" + brokerId + "-group-metadata");
            thread.setDaemon(true);
            return thread;
        });
    }

    // ---- any thread ----

    /** The coordinator; empty until there is {@code __consumer_offsets}. */
    public Optional<GroupCoordinator> coordinator() {
        return Optional.ofNullable(coordinator);
    }

    /** Whether groups may use the consumer protocol, or only the classic one. */
    public boolean offersConsumerProtocol() {
        return settings.consumerProtocol();
    }

    /** What single groups are configured to. */
    public GroupConfigs configs() {
        return configs;
    }

    /** Whether nobody has used a group in this cluster yet. */
    public boolean neverUsed() {
        return image.get().topic(OffsetsPartitions.TOPIC) == null;
    }

    /**
     * The partition that a group lives on, whose leader is its coordinator. If there are no partitions yet their creation
     * is started and the answer is empty.
     */
    public Optional<PartitionState> partitionOf(String groupId) {
        ClusterImage current = image.get();
        TopicState topic = current.topic(OffsetsPartitions.TOPIC);
        if (topic == null || topic.partitions().isEmpty()) {
            offsetsTopic.create(current);
            return Optional.empty();
        }
        return Optional.of(topic.partition(
                Utils.abs(groupId.hashCode()) % topic.partitions().size()));
    }

    // ---- the thread that publishes the metadata ----

    /** The image has been handed to the partitions. Does not wait for anything but the first start. */
    public synchronized void published(ClusterImage newer) {
        configs.follow(newer);
        TopicState topic = newer.topic(OffsetsPartitions.TOPIC);
        if (closed
                || (coordinator == null && (topic == null || topic.partitions().isEmpty()))) {
            return;
        }
        if (coordinator == null) {
            start(newer, topic.partitions().size());
        }
        if (topic != offsets) {
            leaders(topic);
            offsets = topic;
        }
        if (untold.getAndSet(newer) == null) {
            metadataThread.execute(this::tellTopics);
        }
    }

    private void start(ClusterImage first, int partitionCount) {
        Time time = Time.SYSTEM;
        Metrics metrics = new Metrics(time);
        GroupCoordinatorService service = new GroupCoordinatorService.Builder(brokerId, settings.coordinator())
                .withTime(time)
                .withTimer(new SystemTimerReaper("group-coordinator-reaper", new SystemTimer("group-coordinator")))
                .withLoader(new OffsetsLoader(partitions, settings.coordinator().offsetsLoadBufferSize()))
                .withWriter(new OffsetsWriter(brokerId, partitions, topicDefaults, APPEND_PATIENCE_MS))
                .withCoordinatorRuntimeMetrics(new GroupCoordinatorRuntimeMetrics(metrics))
                .withGroupCoordinatorMetrics(new GroupCoordinatorMetrics(registry, metrics))
                .withGroupConfigManager(configs.manager())
                .withPersister(new NoOpStatePersister())
                .withAuthorizerPlugin(Optional.empty())
                .withPartitionMetadataClient(new NoShareGroups())
                .build();
        service.startup(() -> partitionCount);
        tell(service, first);
        coordinator = service;
        LOG.info("groups live on the {} partitions of {}", partitionCount, OffsetsPartitions.TOPIC);
    }

    private void leaders(TopicState topic) {
        Map<Integer, Integer> now = new HashMap<>();
        boolean same = topic != null && offsets != null && topic.id().equals(offsets.id());
        if (topic != null) {
            for (PartitionState partition : topic.partitions()) {
                if (partition.leader() == brokerId) {
                    now.put(partition.id().partition(), partition.leaderEpoch());
                }
            }
        }
        for (Map.Entry<Integer, Integer> before : Map.copyOf(elected).entrySet()) {
            int partition = before.getKey();
            // In a new epoch of the same leader, too, the coordinator starts again from the log of that epoch.
            if (!same || !before.getValue().equals(now.get(partition))) {
                elected.remove(partition);
                partitions.resigned(partition);
                PartitionState state = same ? topic.partition(partition) : null;
                coordinator.onResignation(
                        partition, state == null ? OptionalInt.empty() : OptionalInt.of(state.leaderEpoch()));
            }
        }
        now.forEach((partition, epoch) -> {
            if (elected.put(partition, epoch) == null) {
                partitions.elected(partition, epoch);
                coordinator.onElection(partition, epoch);
            }
        });
    }

    // ---- the thread that tells of topics: a deleted one is waited for until its offsets are gone ----

    private void tellTopics() {
        ClusterImage newer = untold.getAndSet(null);
        GroupCoordinator told = coordinator;
        try {
            tell(told, newer);
        } catch (RuntimeException e) {
            LOG.warn("the coordinator did not take the metadata up to {}", newer.index(), e);
        }
    }

    private void tell(GroupCoordinator told, ClusterImage newer) {
        synchronized (metadata) {
            MetadataDelta delta = metadata.advance(newer);
            if (delta != null) {
                told.onMetadataUpdate(delta, metadata.image());
            }
        }
    }

    /** Ends all groups of this broker; members that wait are told to look for another coordinator. */
    @Override
    public void close() {
        GroupCoordinator running;
        synchronized (this) {
            closed = true;
            running = coordinator;
        }
        metadataThread.shutdownNow();
        if (running != null) {
            running.shutdown();
        }
        registry.shutdown();
    }
}
