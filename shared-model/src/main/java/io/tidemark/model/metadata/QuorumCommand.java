package io.tidemark.model.metadata;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import java.util.List;
import java.util.Map;

/** What can be asked of the acting controller; each becomes one entry of the metadata log. */
public sealed interface QuorumCommand {

    /**
     * A broker process presents itself (R7.1-R7.3, B1, B5).
     *
     * @param endpoints where it listens, that of other brokers first
     * @param previousBrokerEpoch from the clean-shutdown markers of all its directories, -1 without that evidence (R7.4)
     * @param bootEvidence stays equal as long as nothing that was acknowledged can be lost: kernel boot and mount of its
     *     directory, or {@link #SYNCED}, with the run since which nothing was lost; "" if unknown
     * @param nothingCut the last run was under that evidence too, and recovery missed nothing of what it had acknowledged
     * @param reports what its logs hold, for seats that wait for a floor; may be empty
     */
    record RegisterBroker(
            String clusterId,
            int brokerId,
            String incarnationId,
            List<String> directoryIds,
            List<Endpoint> endpoints,
            String rack,
            long previousBrokerEpoch,
            String bootEvidence,
            boolean nothingCut,
            int minLevel,
            int maxLevel,
            List<SeatReport> reports)
            implements QuorumCommand {
        /** How the evidence of a broker begins that acknowledges only what is synced (B16). */
        public static final String SYNCED = "synced";
    }

    /**
     * Sessions ran out, or brokers asked to be fenced: all by one decision (B4).
     *
     * @param rest whether it only goes on with what an earlier one had no room for: who is not fenced by now is let be
     */
    record FenceBrokers(List<BrokerRef> brokers, String reason, boolean rest) implements QuorumCommand {
        public FenceBrokers(List<BrokerRef> brokers, String reason) {
            this(brokers, reason, false);
        }
    }

    record UnfenceBroker(BrokerRef broker) implements QuorumCommand {}

    /** Begin, or go on with, the controlled shutdown of a broker (R7.21). */
    record ShutDownBroker(BrokerRef broker) implements QuorumCommand {}

    /** One incarnation of a broker. */
    record BrokerRef(int brokerId, long brokerEpoch) {}

    record CreateTopics(List<NewTopic> topics, boolean validateOnly, String client) implements QuorumCommand {}

    /**
     * @param partitions -1 for the default; must be -1 with an assignment; {@code replicationFactor} likewise
     * @param assignment replicas of partition 0, 1, ...; empty for automatic placement
     */
    record NewTopic(
            String name,
            int partitions,
            int replicationFactor,
            List<List<Integer>> assignment,
            Map<String, String> configs) {}

    /** Topics by id (name "") or by name (id zero). */
    record DeleteTopics(List<TopicRef> topics, String client) implements QuorumCommand {}

    record TopicRef(String name, TopicId topicId) {}

    record CreatePartitions(List<Growth> topics, boolean validateOnly, String client) implements QuorumCommand {}

    /** {@code count} is the new total; {@code assignment} gives the replicas of the added ones or is empty. */
    record Growth(String name, int count, List<List<Integer>> assignment) {}

    /** Dynamic configuration, one resource after another, each whole or not at all. */
    record AlterConfigs(List<ConfigChange> changes, boolean validateOnly, String client) implements QuorumCommand {}

    /** @param replace keys without an edit go back to their defaults */
    record ConfigChange(ConfigResource resource, boolean replace, List<ConfigEdit> edits) {}

    /**
     * @param kind append and subtract are for lists, whose items stand with a comma between
     * @param value "" where the key is deleted
     */
    record ConfigEdit(Kind kind, String key, String value) {
        /** What is done to the key. */
        public enum Kind {
            SET,
            DELETE,
            APPEND,
            SUBTRACT
        }
    }

    /** Leadership of each of these back to the preferred replica or, if they have no leader, to any (R7.70). */
    record ElectLeaders(List<PartitionId> partitions, boolean unclean, String client) implements QuorumCommand {}

    /**
     * Other replicas for partitions, or an end to changes of that kind under way (R7.60-R7.62).
     *
     * @param allowReplicationFactorChange whether a target may have more or fewer replicas than before
     */
    record AlterReassignments(List<Reassignment> partitions, boolean allowReplicationFactorChange, String client)
            implements QuorumCommand {}

    /** @param target in order of preference; null cancels what is under way */
    record Reassignment(PartitionId id, List<Integer> target) {}

    /**
     * Leadership back to the first replicas; to anybody where unclean elections are allowed (R7.71, R7.72); or to whoever may
     * lead what nobody leads, where that was too much for one entry (R7.22, R7.35).
     */
    record BalanceLeaders(Balance kind) implements QuorumCommand {
        /** Which of these. */
        public enum Balance {
            PREFERRED,
            UNCLEAN,
            LEADERLESS
        }
    }

    /** A broker that will not come back is forgotten (R7.5). */
    record UnregisterBroker(int brokerId, String client) implements QuorumCommand {}

    record AlterPartition(int brokerId, long brokerEpoch, List<IsrProposal> partitions) implements QuorumCommand {}

    /** An ISR member with the broker epoch the leader saw, -1 if it does not know (R2.16). */
    record IsrMember(int brokerId, long brokerEpoch) {}

    /**
     * @param kind a change; a floor report; or a cancel. The last two keep the ISR and always bump PE (R7.53)
     * @param floor what the leader can say of the exposed prefix, NONE if nothing yet (B1 rule 2)
     * @param reason in words, for the log
     */
    record IsrProposal(
            PartitionId id,
            int leaderEpoch,
            int partitionEpoch,
            List<IsrMember> isr,
            boolean recovering,
            Kind kind,
            Floor floor,
            String reason) {
        /** See {@link IsrProposal}. */
        public enum Kind {
            CHANGE,
            REPORT,
            CANCEL
        }
    }

    record AllocateProducerIds(int brokerId, long brokerEpoch) implements QuorumCommand {}

    /** First entry of a new cluster: the metadata level and the cluster's default configuration. */
    record Bootstrap(int level, Map<String, String> clusterConfigs) implements QuorumCommand {}

    /** Keeps an idle log moving, so that a wiped follower is found (no records). */
    record NoOp() implements QuorumCommand {}
}
