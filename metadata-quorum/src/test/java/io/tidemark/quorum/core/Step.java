package io.tidemark.quorum.core;

import java.util.List;
import java.util.Map;
import org.apache.kafka.controller.KafkaOracle.Member;

/** One event that both controllers are told; every value is written out, so that a list of them can be read and repeated. */
sealed interface Step {
    /** What a new process can show of its logs. */
    enum Evidence {
        /** Markers that name the registered epoch. */
        STOPPED_IN_ORDER,
        /** The same boot and nothing cut. Kafka knows no such thing and is told that it stopped in order (B1). */
        SAME_BOOT,
        NONE
    }

    /**
     * @param disk two brokers with the same number share directories; other than before means a replaced disk
     * @param logEnd of each of its logs, all of epoch 0. Kafka is not told (B1)
     */
    record Register(int broker, int incarnation, int disk, Evidence evidence, int logEnd) implements Step {}

    record Heartbeat(int broker, long epoch, long metadataIndex, boolean wantFence, boolean wantShutDown)
            implements Step {}

    /** Nobody is heard of for the length of a session; not yet a reason to fence. */
    record SessionsRunOut() implements Step {}

    record Fence(List<Integer> brokers) implements Step {}

    record Unregister(int broker) implements Step {}

    /** @param assignment null for automatic placement */
    record Create(
            String topic,
            int partitions,
            int replicationFactor,
            List<List<Integer>> assignment,
            Map<String, String> configs)
            implements Step {}

    record Grow(String topic, int count, List<List<Integer>> assignment) implements Step {}

    record Delete(String topic) implements Step {}

    /** @param topic null for the cluster's default; {@code value} null to delete */
    record Config(String topic, String key, String value) implements Step {}

    /**
     * @param topic null for an id that no topic has
     * @param floor what the leader says of the exposed prefix, all of epoch 0; -1 if nothing. Kafka is not told (B1)
     */
    record Alter(
            int sender,
            long senderEpoch,
            String topic,
            int partition,
            int leaderEpoch,
            int partitionEpoch,
            boolean recovering,
            List<Member> isr,
            int floor)
            implements Step {}

    /** @param target null to cancel */
    record Reassign(String topic, int partition, List<Integer> target, boolean allowReplicationFactorChange)
            implements Step {}

    record Elect(boolean unclean, String topic, int partition) implements Step {}

    record Balance(boolean unclean) implements Step {}
}
