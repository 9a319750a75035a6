package io.tidemark.model.metadata;

import io.tidemark.model.Check;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import java.util.Collections;
import java.util.Map;
import org.organicdesign.fp.collections.ImMap;
import org.organicdesign.fp.collections.ImSet;
import org.organicdesign.fp.collections.PersistentHashMap;
import org.organicdesign.fp.collections.PersistentHashSet;

/** The fold of records into the next {@link ClusterImage}; lives for one entry, or for the reading of one snapshot. */
public final class ImageBuilder {
    private final long index;
    private long tip;
    private long timestampMs;
    private long historyId;
    private int level;
    private long nextProducerId;
    private ImMap<Integer, BrokerState> brokers;
    private ImMap<TopicId, TopicState> topics;
    private ImMap<String, TopicId> topicIds;
    private ImMap<ConfigResource, ImMap<String, String>> configs;
    private ImMap<Integer, ImSet<PartitionId>> byBroker;
    private ImSet<PartitionId> leaderless;
    private ImSet<PartitionId> reassigning;
    private long valueDigest;

    public ImageBuilder(ClusterImage image, long index) {
        this.index = index;
        this.tip = image.tip();
        this.timestampMs = image.timestampMs();
        this.historyId = image.historyId();
        this.level = image.level();
        this.nextProducerId = image.nextProducerId();
        this.brokers = image.brokerMap();
        this.topics = image.topicMap();
        this.topicIds = image.topicIdMap();
        this.configs = image.configMap();
        this.byBroker = image.byBrokerMap();
        this.leaderless = image.leaderlessSet();
        this.reassigning = image.reassigningSet();
        this.valueDigest = image.valueDigest();
    }

    /** The entry at this builder's index took effect at that wall-clock time. */
    void effective(long timestamp) {
        tip = index;
        timestampMs = timestamp;
    }

    public ClusterImage build() {
        return new ClusterImage(
                index,
                tip,
                timestampMs,
                historyId,
                level,
                nextProducerId,
                brokers,
                topics,
                topicIds,
                configs,
                byBroker,
                leaderless,
                reassigning,
                valueDigest);
    }

    // ---- reading a snapshot: values as they were stored, nothing derived ----

    public void restore(
            long storedTip, long storedTimestampMs, long storedHistoryId, int storedLevel, long storedNextProducerId) {
        tip = storedTip;
        timestampMs = storedTimestampMs;
        historyId = storedHistoryId;
        level = storedLevel;
        nextProducerId = storedNextProducerId;
    }

    public void restore(BrokerState broker) {
        put(broker);
    }

    public void restore(String name, TopicId id) {
        createTopic(name, id);
    }

    /** Configurations of a topic are restored before its partitions, so that the effective min ISR comes out as it was. */
    public void restore(PartitionState partition) {
        put(partition.withMinIsr(minIsrOf(partition)));
    }

    public void restore(ConfigResource resource, String key, String value) {
        setConfig(resource, key, value);
    }

    // ---- the fold ----

    void apply(MetadataRecord record) {
        if (record instanceof MetadataRecord.PartitionChanged changed) {
            PartitionState after = require(changed.id()).with(changed);
            put(after.withMinIsr(minIsrOf(after)));
        } else if (record instanceof MetadataRecord.PartitionCreated created) {
            put(created.state().withMinIsr(minIsrOf(created.state())));
        } else if (record instanceof MetadataRecord.TopicCreated created) {
            createTopic(created.name(), created.topicId());
        } else if (record instanceof MetadataRecord.TopicDeleted deleted) {
            deleteTopic(deleted.topicId());
        } else if (record instanceof MetadataRecord.BrokerRegistered registered) {
            register(registered);
        } else if (record instanceof MetadataRecord.BrokerFenced fenced) {
            put(require(fenced.brokerId(), fenced.brokerEpoch()).withFenced(true));
        } else if (record instanceof MetadataRecord.BrokerUnfenced unfenced) {
            put(require(unfenced.brokerId(), unfenced.brokerEpoch()).withFenced(false));
        } else if (record instanceof MetadataRecord.BrokerShuttingDown down) {
            put(require(down.brokerId(), down.brokerEpoch()).withShutdownIndex(index));
        } else if (record instanceof MetadataRecord.BrokerUnregistered gone) {
            unregister(require(gone.brokerId(), gone.brokerEpoch()));
        } else if (record instanceof MetadataRecord.ConfigSet set) {
            setConfig(set.resource(), set.key(), set.value());
            minIsrMayHaveChanged(set);
        } else if (record instanceof MetadataRecord.ProducerIdsAllocated allocated) {
            Check.that(
                    allocated.nextProducerId() > nextProducerId,
                    "producer ids only grow",
                    allocated.nextProducerId(),
                    nextProducerId);
            nextProducerId = allocated.nextProducerId();
        } else if (record instanceof MetadataRecord.LevelFinalized finalized) {
            level = finalized.level();
        } else if (record instanceof MetadataRecord.HistoryBegun begun) {
            Check.that(historyId == 0, "a history begins once", historyId, begun.id());
            historyId = begun.id();
        } else {
            throw new Check.Violation("no fold for " + record);
        }
    }

    private void register(MetadataRecord.BrokerRegistered record) {
        boolean newIncarnation = record.epoch() == MetadataRecord.BrokerRegistered.THIS_INDEX;
        BrokerState old = brokers.get(record.brokerId());
        put(new BrokerState(
                record.brokerId(),
                newIncarnation ? index : record.epoch(),
                record.incarnationId(),
                record.directoryIds(),
                record.endpoints(),
                record.rack(),
                record.bootEvidence(),
                record.minLevel(),
                record.maxLevel(),
                record.fenced(),
                newIncarnation || old == null ? -1 : old.shutdownIndex()));
    }

    private void unregister(BrokerState broker) {
        valueDigest -= StateDigest.of(broker);
        brokers = brokers.without(broker.id());
    }

    private void createTopic(String name, TopicId id) {
        Check.that(topics.get(id) == null && topicIds.get(name) == null, "topic %s exists already", name);
        TopicState topic = TopicState.created(name, id);
        topics = topics.assoc(id, topic);
        topicIds = topicIds.assoc(name, id);
        valueDigest += StateDigest.ofTopic(topic);
    }

    private void deleteTopic(TopicId id) {
        TopicState topic = topics.get(id);
        Check.that(topic != null, "unknown topic %s", id);
        for (PartitionState partition : topic.partitions()) {
            valueDigest -= StateDigest.of(partition);
            leaderless = leaderless.without(partition.id());
            reassigning = reassigning.without(partition.id());
            partition.replicas().forEach(broker -> unindex(broker, partition.id()));
        }
        ConfigResource resource = ConfigResource.topic(topic.name());
        ImMap<String, String> values = configs.get(resource);
        if (values != null) {
            for (Map.Entry<String, String> value : values.entrySet()) {
                valueDigest -= StateDigest.of(resource, value.getKey(), value.getValue());
            }
            configs = configs.without(resource);
        }
        valueDigest -= StateDigest.ofTopic(topic);
        topics = topics.without(id);
        topicIds = topicIds.without(topic.name());
    }

    private void put(BrokerState broker) {
        BrokerState old = brokers.get(broker.id());
        valueDigest += StateDigest.of(broker) - (old == null ? 0 : StateDigest.of(old));
        brokers = brokers.assoc(broker.id(), broker);
    }

    private void put(PartitionState after) {
        TopicState topic = topics.get(after.id().topicId());
        Check.that(topic != null, "partition of an unknown topic: %s", after.id());
        PartitionState before = topic.partition(after.id().partition());
        check(after);
        valueDigest += StateDigest.of(after) - (before == null ? 0 : StateDigest.of(before));
        topics = topics.assoc(topic.id(), topic.with(after));
        if (before == null || !before.replicas().equals(after.replicas())) {
            if (before != null) {
                before.replicas().forEach(broker -> unindex(broker, after.id()));
            }
            after.replicas().forEach(broker -> index(broker, after.id()));
        }
        leaderless = after.hasLeader() ? leaderless.without(after.id()) : leaderless.put(after.id());
        reassigning = after.reassigning() ? reassigning.put(after.id()) : reassigning.without(after.id());
    }

    private static void check(PartitionState state) {
        Check.that(state.replicas().containsAll(state.isr()), "ISR is a subset of the replicas (B2): %s", state);
        Check.that(state.replicas().containsAll(state.elr()), "ELR is a subset of the replicas (B2): %s", state);
        Check.that(
                state.replicas().containsAll(state.adding())
                        && state.replicas().containsAll(state.removing())
                        && Collections.disjoint(state.adding(), state.removing())
                        && state.targetReplicas() > 0,
                "a reassignment adds and removes different ones of the replicas, and leaves one (R7.60): %s adding %s"
                        + " removing %s",
                state.replicas(),
                state.adding(),
                state.removing());
        for (int member : state.isr()) {
            Check.that(!state.elr().contains(member), "ISR and ELR are disjoint (I5): %s", state);
        }
        for (SeatReport report : state.unproven()) {
            boolean seated = state.elr().contains(report.brokerId());
            Check.that(
                    seated
                            ? state.floor().kind() == Floor.Kind.UNKNOWN
                            : state.lastKnownElr().contains(report.brokerId()),
                    "whose log is doubted waits for the floor or has lost its seat (B1): %s, %s",
                    state,
                    report);
            Check.that(state.underMinIsr(), "nobody is doubted while the ISR reaches its min (B1): %s", state);
        }
        Check.that(
                !state.hasLeader() || state.isr().contains(state.leader()),
                "a leader is in its own ISR (I11): %s",
                state);
    }

    private void index(int broker, PartitionId id) {
        ImSet<PartitionId> partitions = byBroker.get(broker);
        ImSet<PartitionId> base = partitions == null ? PersistentHashSet.empty() : partitions;
        byBroker = byBroker.assoc(broker, base.put(id));
    }

    private void unindex(int broker, PartitionId id) {
        ImSet<PartitionId> partitions = byBroker.get(broker);
        if (partitions != null) {
            byBroker = byBroker.assoc(broker, partitions.without(id));
        }
    }

    private void setConfig(ConfigResource resource, String key, String value) {
        ImMap<String, String> values = configs.get(resource);
        ImMap<String, String> base = values == null ? PersistentHashMap.empty() : values;
        String old = base.get(key);
        if (old != null) {
            valueDigest -= StateDigest.of(resource, key, old);
        }
        if (value != null) {
            valueDigest += StateDigest.of(resource, key, value);
        }
        configs = configs.assoc(resource, value == null ? base.without(key) : base.assoc(key, value));
    }

    /** B3: a change of the effective min ISR is a change of every partition that it touches. */
    private void minIsrMayHaveChanged(MetadataRecord.ConfigSet set) {
        if (!set.key().equals(ClusterImage.MIN_ISR_KEY)) {
            return;
        }
        if (set.resource().type() == ConfigResource.Type.TOPIC) {
            TopicId id = topicIds.get(set.resource().name());
            if (id != null) {
                deriveMinIsr(topics.get(id));
            }
        } else if (set.resource().equals(ConfigResource.CLUSTER_DEFAULT)) {
            for (Map.Entry<TopicId, TopicState> topic : topics) {
                deriveMinIsr(topic.getValue());
            }
        }
    }

    private void deriveMinIsr(TopicState topic) {
        for (PartitionState partition : topic.partitions()) {
            int minIsr = minIsrOf(partition);
            if (minIsr != partition.minIsr()) {
                put(partition.minIsrChanged(minIsr));
            }
        }
    }

    private int minIsrOf(PartitionState partition) {
        TopicState topic = topics.get(partition.id().topicId());
        Check.that(topic != null, "partition %s of an unknown topic", partition.id());
        ImMap<String, String> own = configs.get(ConfigResource.topic(topic.name()));
        String configured = own == null ? null : own.get(ClusterImage.MIN_ISR_KEY);
        if (configured == null) {
            ImMap<String, String> cluster = configs.get(ConfigResource.CLUSTER_DEFAULT);
            configured = cluster == null ? null : cluster.get(ClusterImage.MIN_ISR_KEY);
        }
        return ClusterImage.minIsr(configured, partition.targetReplicas());
    }

    private BrokerState require(int brokerId, long brokerEpoch) {
        BrokerState broker = brokers.get(brokerId);
        Check.that(
                broker != null && broker.epoch() == brokerEpoch,
                "record about broker %d epoch %d, registered is %s",
                brokerId,
                brokerEpoch,
                broker);
        return broker;
    }

    private PartitionState require(PartitionId id) {
        TopicState topic = topics.get(id.topicId());
        PartitionState partition = topic == null ? null : topic.partition(id.partition());
        Check.that(partition != null, "change of an unknown partition %s", id);
        return partition;
    }
}
