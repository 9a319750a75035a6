package io.tidemark.model.metadata;

import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** 64-bit digests of single values; the digest of an image is their sum, so the order of changes does not matter. */
final class StateDigest {
    private StateDigest() {}

    static long of(BrokerState broker) {
        Hasher hasher = start('B')
                .putInt(broker.id())
                .putLong(broker.epoch())
                .putBoolean(broker.fenced())
                .putLong(broker.shutdownIndex())
                .putInt(broker.minLevel())
                .putInt(broker.maxLevel());
        put(hasher, broker.incarnationId());
        broker.directoryIds().forEach(directory -> put(hasher, directory));
        broker.endpoints().forEach(endpoint -> {
            put(hasher, endpoint.listener());
            put(hasher, endpoint.host());
            hasher.putInt(endpoint.port());
        });
        put(hasher, broker.rack());
        put(hasher, broker.bootEvidence());
        return hasher.hash().asLong();
    }

    static long ofTopic(TopicState topic) {
        Hasher hasher = start('T').putLong(topic.id().high()).putLong(topic.id().low());
        put(hasher, topic.name());
        return hasher.hash().asLong();
    }

    static long of(PartitionState partition) {
        Hasher hasher = start('P')
                .putLong(partition.id().topicId().high())
                .putLong(partition.id().topicId().low())
                .putInt(partition.id().partition())
                .putInt(partition.leader())
                .putInt(partition.leaderEpoch())
                .putInt(partition.partitionEpoch())
                .putBoolean(partition.recovering())
                .putInt(partition.minIsr())
                .putInt(partition.floor().kind().ordinal())
                .putLong(partition.floor().offset())
                .putInt(partition.floor().epoch())
                .putBoolean(partition.floor().exact());
        put(hasher, partition.replicas());
        put(hasher, partition.isr());
        put(hasher, partition.elr());
        put(hasher, partition.lastKnownElr());
        put(hasher, partition.adding());
        put(hasher, partition.removing());
        partition.unproven().forEach(report -> put(hasher, report));
        return hasher.hash().asLong();
    }

    static long of(ConfigResource resource, String key, String value) {
        Hasher hasher = start('C').putInt(resource.type().ordinal());
        put(hasher, resource.name());
        put(hasher, key);
        put(hasher, value);
        return hasher.hash().asLong();
    }

    static long of(String name, long value) {
        Hasher hasher = start('V').putLong(value);
        put(hasher, name);
        return hasher.hash().asLong();
    }

    private static void put(Hasher hasher, SeatReport report) {
        hasher.putInt(report.brokerId())
                .putLong(report.partition().topicId().high())
                .putLong(report.partition().topicId().low())
                .putInt(report.partition().partition())
                .putLong(report.logStart())
                .putLong(report.logEnd())
                .putInt(report.epochs().entries().size());
        report.epochs().entries().forEach(entry -> hasher.putInt(entry.epoch()).putLong(entry.offset()));
    }

    private static Hasher start(char kind) {
        return Hashing.murmur3_128().newHasher().putChar(kind);
    }

    private static void put(Hasher hasher, String text) {
        hasher.putInt(text.length()).putString(text, StandardCharsets.UTF_8);
    }

    private static void put(Hasher hasher, List<Integer> ids) {
        hasher.putInt(ids.size());
        ids.forEach(hasher::putInt);
    }
}
