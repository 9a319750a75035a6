package io.tidemark.model.metadata;

import io.tidemark.model.Check;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import java.util.Map;
import java.util.Set;
import org.organicdesign.fp.collections.ImMap;
import org.organicdesign.fp.collections.ImSet;
import org.organicdesign.fp.collections.PersistentHashMap;
import org.organicdesign.fp.collections.PersistentHashSet;

/**
 * The cluster as the metadata log describes it up to one index: the one fold that controllers, brokers and tools share.
 * Immutable, so a snapshot, a subscriber or a look into the past is a pointer.
 *
 * <p>Chain rule: {@link #apply(long, MetadataEntry)} folds an entry only if it was decided on this image's {@code tip}
 * (the index of the last entry that took effect); any other entry is void and leaves everything, the tip too, as it was.
 */
public final class ClusterImage {
    /** The topic and cluster configuration key that the effective min ISR is derived from (B3). */
    public static final String MIN_ISR_KEY = "min.insync.replicas";

    public static final ClusterImage EMPTY = new ClusterImage(
            -1,
            -1,
            0,
            0,
            0,
            0,
            PersistentHashMap.empty(),
            PersistentHashMap.empty(),
            PersistentHashMap.empty(),
            PersistentHashMap.empty(),
            PersistentHashMap.empty(),
            PersistentHashSet.empty(),
            PersistentHashSet.empty(),
            0);

    private final long index;
    private final long tip;
    private final long timestampMs;
    private final long historyId;
    private final int level;
    private final long nextProducerId;
    private final ImMap<Integer, BrokerState> brokers;
    private final ImMap<TopicId, TopicState> topics;
    private final ImMap<String, TopicId> topicIds;
    private final ImMap<ConfigResource, ImMap<String, String>> configs;
    /** Partitions by every broker that is one of their replicas, so that fencing costs what it touches. */
    private final ImMap<Integer, ImSet<PartitionId>> byBroker;

    private final ImSet<PartitionId> leaderless;
    private final ImSet<PartitionId> reassigning;
    /** Sum of the digests of all brokers, topics, partitions and configuration values. */
    private final long valueDigest;

    ClusterImage(
            long index,
            long tip,
            long timestampMs,
            long historyId,
            int level,
            long nextProducerId,
            ImMap<Integer, BrokerState> brokers,
            ImMap<TopicId, TopicState> topics,
            ImMap<String, TopicId> topicIds,
            ImMap<ConfigResource, ImMap<String, String>> configs,
            ImMap<Integer, ImSet<PartitionId>> byBroker,
            ImSet<PartitionId> leaderless,
            ImSet<PartitionId> reassigning,
            long valueDigest) {
        this.index = index;
        this.tip = tip;
        this.timestampMs = timestampMs;
        this.historyId = historyId;
        this.level = level;
        this.nextProducerId = nextProducerId;
        this.brokers = brokers;
        this.topics = topics;
        this.topicIds = topicIds;
        this.configs = configs;
        this.byBroker = byBroker;
        this.leaderless = leaderless;
        this.reassigning = reassigning;
        this.valueDigest = valueDigest;
    }

    /** The image after the entry at {@code entryIndex}: folded if it chains on the tip, else only the index moves. */
    public ClusterImage apply(long entryIndex, MetadataEntry entry) {
        Check.that(entryIndex > index, "entries are applied in order", entryIndex, index);
        ImageBuilder builder = new ImageBuilder(this, entryIndex);
        if (chains(entry)) {
            entry.records().forEach(builder::apply);
            builder.effective(Math.max(timestampMs, entry.timestampMs()));
        }
        return builder.build();
    }

    /** Whether that entry takes effect on this image (chain rule). */
    public boolean chains(MetadataEntry entry) {
        return entry.basedOn() == tip;
    }

    /** Index of the last entry applied, void ones included; -1 before the first. */
    public long index() {
        return index;
    }

    /** Index of the last entry that took effect; -1 before the first. */
    public long tip() {
        return tip;
    }

    /** Wall clock of the last entry that took effect, milliseconds. */
    public long timestampMs() {
        return timestampMs;
    }

    /**
     * Which history of this cluster id it is: drawn at random when its controllers decided for the first time. 0 before
     * that, and in a history that began before it was kept.
     */
    public long historyId() {
        return historyId;
    }

    /** Finalized metadata level; 0 before the cluster was bootstrapped. */
    public int level() {
        return level;
    }

    public long nextProducerId() {
        return nextProducerId;
    }

    /** Equal on all replicas that have applied the same entries: covers every value, and the tip. */
    public long digest() {
        return valueDigest
                + StateDigest.of("tip", tip)
                + StateDigest.of("level", level)
                + (historyId == 0 ? 0 : StateDigest.of("history", historyId))
                + StateDigest.of("nextProducerId", nextProducerId)
                + StateDigest.of("timestamp", timestampMs);
    }

    public Map<Integer, BrokerState> brokers() {
        return brokers;
    }

    /** The broker of that id, or null. */
    public BrokerState broker(int id) {
        return brokers.get(id);
    }

    public Map<TopicId, TopicState> topics() {
        return topics;
    }

    /** The topic of that id, or null. */
    public TopicState topic(TopicId id) {
        return topics.get(id);
    }

    /** The topic of that name, or null. */
    public TopicState topic(String name) {
        TopicId id = topicIds.get(name);
        return id == null ? null : topics.get(id);
    }

    /** The partition, or null. */
    public PartitionState partition(PartitionId id) {
        TopicState topic = topics.get(id.topicId());
        return topic == null ? null : topic.partition(id.partition());
    }

    /** Values set on exactly that resource; empty if none. */
    public Map<String, String> configs(ConfigResource resource) {
        ImMap<String, String> values = configs.get(resource);
        return values == null ? Map.of() : values;
    }

    public Map<ConfigResource, ImMap<String, String>> configs() {
        return configs;
    }

    /** A topic's own value, else the cluster's default value, else null. */
    public String topicConfig(String topic, String key) {
        String own = configs(ConfigResource.topic(topic)).get(key);
        return own != null ? own : brokerDefault(ConfigResource.CLUSTER_DEFAULT, key);
    }

    /** As broker {@code brokerId} uses it: a topic's own value, else that broker's, else the cluster's default, else null. */
    public String topicConfig(String topic, String key, int brokerId) {
        String own = configs(ConfigResource.topic(topic)).get(key);
        String brokers = own != null ? own : brokerDefault(ConfigResource.broker(brokerId), key);
        return brokers != null ? brokers : brokerDefault(ConfigResource.CLUSTER_DEFAULT, key);
    }

    private String brokerDefault(ConfigResource resource, String topicKey) {
        String key = BrokerDefaults.brokerKey(topicKey);
        return key == null ? null : configs(resource).get(key);
    }

    /** What the effective min ISR of a topic's partition is or would be with so many target replicas (B3). */
    public int effectiveMinIsr(String topic, int targetReplicas) {
        return minIsr(topicConfig(topic, MIN_ISR_KEY), targetReplicas);
    }

    static int minIsr(String configured, int targetReplicas) {
        return Math.max(1, Math.min(configured == null ? 1 : Integer.parseInt(configured), targetReplicas));
    }

    /** Partitions that have that broker among their replicas. */
    public Set<PartitionId> partitionsOf(int brokerId) {
        ImSet<PartitionId> partitions = byBroker.get(brokerId);
        return partitions == null ? PersistentHashSet.empty() : partitions;
    }

    /** Partitions without a leader. */
    public Set<PartitionId> leaderless() {
        return leaderless;
    }

    /** Partitions whose replicas change just now (R7.60). */
    public Set<PartitionId> reassigning() {
        return reassigning;
    }

    ImMap<Integer, BrokerState> brokerMap() {
        return brokers;
    }

    ImMap<TopicId, TopicState> topicMap() {
        return topics;
    }

    ImMap<String, TopicId> topicIdMap() {
        return topicIds;
    }

    ImMap<ConfigResource, ImMap<String, String>> configMap() {
        return configs;
    }

    ImMap<Integer, ImSet<PartitionId>> byBrokerMap() {
        return byBroker;
    }

    ImSet<PartitionId> leaderlessSet() {
        return leaderless;
    }

    ImSet<PartitionId> reassigningSet() {
        return reassigning;
    }

    long valueDigest() {
        return valueDigest;
    }

    @Override
    public String toString() {
        return "ClusterImage{index=" + index + " tip=" + tip + " brokers=" + brokers.size() + " topics=" + topics.size()
                + "}";
    }
}
