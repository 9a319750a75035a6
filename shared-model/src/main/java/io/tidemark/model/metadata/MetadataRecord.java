package io.tidemark.model.metadata;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import java.util.List;

/** One fact in the metadata log. The fold of all of them in order is the cluster ({@link ClusterImage}). */
public sealed interface MetadataRecord {
    /**
     * The first record of a cluster. Its id tells this history from that of controllers which began with nothing under the
     * same cluster id; drawn at random, never 0.
     */
    record HistoryBegun(long id) implements MetadataRecord {}

    /** The level of record kinds and fields that may be written from here on. */
    record LevelFinalized(int level) implements MetadataRecord {}

    /** A broker incarnation; {@code epoch} -1 stands for the index of this entry (R7.95). Fenced until unfenced. */
    record BrokerRegistered(
            int brokerId,
            long epoch,
            String incarnationId,
            List<String> directoryIds,
            List<Endpoint> endpoints,
            String rack,
            String bootEvidence,
            int minLevel,
            int maxLevel,
            boolean fenced)
            implements MetadataRecord {
        public static final long THIS_INDEX = -1;

        public BrokerRegistered {
            directoryIds = List.copyOf(directoryIds);
            endpoints = List.copyOf(endpoints);
        }
    }

    record BrokerFenced(int brokerId, long brokerEpoch) implements MetadataRecord {}

    record BrokerUnfenced(int brokerId, long brokerEpoch) implements MetadataRecord {}

    /** Controlled shutdown began; its index becomes the broker's shutdown index (R7.12). */
    record BrokerShuttingDown(int brokerId, long brokerEpoch) implements MetadataRecord {}

    /** The broker is forgotten; what it holds was taken from it by the records before (R7.5). */
    record BrokerUnregistered(int brokerId, long brokerEpoch) implements MetadataRecord {}

    record TopicCreated(String name, TopicId topicId) implements MetadataRecord {}

    /** The topic, its partitions and its configuration go. */
    record TopicDeleted(TopicId topicId) implements MetadataRecord {}

    /** The whole first state of a partition; its min ISR is ignored (derived by the fold). */
    record PartitionCreated(PartitionState state) implements MetadataRecord {}

    /** New values of one partition's fields; null means unchanged. Always PE + 1; LE + 1 if {@code leader} is named. */
    record PartitionChanged(
            PartitionId id,
            Integer leader,
            List<Integer> isr,
            List<Integer> elr,
            List<Integer> lastKnownElr,
            Boolean recovering,
            List<Integer> replicas,
            List<Integer> adding,
            List<Integer> removing,
            Floor floor,
            List<SeatReport> unproven)
            implements MetadataRecord {}

    /** {@code value} null removes the key. */
    record ConfigSet(ConfigResource resource, String key, String value) implements MetadataRecord {}

    /** All producer ids below {@code nextProducerId} are given out. */
    record ProducerIdsAllocated(int brokerId, long brokerEpoch, long nextProducerId) implements MetadataRecord {}
}
