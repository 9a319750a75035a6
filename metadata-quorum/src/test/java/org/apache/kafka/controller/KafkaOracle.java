package org.apache.kafka.controller;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.DirectoryId;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.AlterPartitionRequestData;
import org.apache.kafka.common.message.BrokerHeartbeatRequestData;
import org.apache.kafka.common.message.BrokerRegistrationRequestData;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsAssignment;
import org.apache.kafka.common.message.CreatePartitionsRequestData.CreatePartitionsTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitions;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.metadata.BrokerRegistrationChangeRecord;
import org.apache.kafka.common.metadata.ClearElrRecord;
import org.apache.kafka.common.metadata.ConfigRecord;
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.RegisterBrokerRecord;
import org.apache.kafka.common.metadata.RemoveTopicRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.metadata.UnregisterBrokerRecord;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.BrokerHeartbeatReply;
import org.apache.kafka.metadata.BrokerRegistration;
import org.apache.kafka.metadata.FinalizedControllerFeatures;
import org.apache.kafka.metadata.KafkaConfigSchema;
import org.apache.kafka.metadata.LeaderRecoveryState;
import org.apache.kafka.metadata.PartitionRegistration;
import org.apache.kafka.metadata.placement.StripedReplicaPlacer;
import org.apache.kafka.server.common.ApiMessageAndVersion;
import org.apache.kafka.server.common.MetadataVersion;
import org.apache.kafka.server.config.ConfigSynonym;
import org.apache.kafka.timeline.SnapshotRegistry;

/**
 * The decisions of Kafka's real controller, without its quorum: what it decides is replayed at once. Lives in Kafka's
 * package, since that is the only way in; speaks plain values. Eligible leader replicas are on, as for every new cluster.
 *
 * <p>Errors are numbers of the protocol, 0 for none.
 */
public final class KafkaOracle {
    private static final String MIN_ISR = "min.insync.replicas";
    private static final String UNCLEAN = "unclean.leader.election.enable";
    private static final String ELR = "eligible.leader.replicas.version";

    /** One partition as Kafka stores it. */
    public record View(
            List<Integer> replicas,
            List<Integer> adding,
            List<Integer> removing,
            List<Integer> isr,
            List<Integer> elr,
            List<Integer> lastKnownElr,
            int leader,
            int leaderEpoch,
            int partitionEpoch,
            boolean recovering) {
        public View {
            replicas = List.copyOf(replicas);
            adding = List.copyOf(adding);
            removing = List.copyOf(removing);
            isr = List.copyOf(isr);
            elr = List.copyOf(elr);
            lastKnownElr = List.copyOf(lastKnownElr);
        }

        @Override
        public String toString() {
            return "M{L=" + leader + " LE=" + leaderEpoch + " PE=" + partitionEpoch + " R=" + replicas
                    + (adding.isEmpty() ? "" : " adding=" + adding)
                    + (removing.isEmpty() ? "" : " removing=" + removing)
                    + " ISR=" + isr + " ELR=" + elr + " LKE=" + lastKnownElr + (recovering ? " RECOVERING" : "") + "}";
        }
    }

    /** A broker as Kafka stores it. */
    public record Broker(long epoch, boolean fenced, boolean shuttingDown) {}

    /** What a heartbeat is answered; only {@code error} counts if that is not 0. */
    public record Beat(int error, boolean caughtUp, boolean fenced, boolean shouldShutDown) {}

    /** A member of a proposed ISR. */
    public record Member(int brokerId, long brokerEpoch) {}

    /** What Kafka's sessions are measured with: stands still until it is moved. */
    private static final class Clock implements Time {
        private long nanos = 1;

        @Override
        public long milliseconds() {
            return nanos / 1_000_000;
        }

        @Override
        public long nanoseconds() {
            return nanos;
        }

        @Override
        public void sleep(long ms) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void waitObject(Object object, Supplier<Boolean> condition, long deadlineMs) {
            throw new UnsupportedOperationException();
        }
    }

    private static final long SESSION_NANOS = 1_000;

    private final Clock clock = new Clock();
    private final FeatureControlManager features;
    private final ClusterControlManager cluster;
    private final ConfigurationControlManager configs;
    /** Names of all that were ever created. */
    private final Set<String> topics = new HashSet<>();

    private ReplicationControlManager replication;

    public KafkaOracle() {
        SnapshotRegistry registry = new SnapshotRegistry(new LogContext());
        features = new FeatureControlManager.Builder()
                .setSnapshotRegistry(registry)
                .setQuorumFeatures(new QuorumFeatures(0, QuorumFeatures.defaultSupportedFeatureMap(true), List.of(0)))
                .build();
        features.replay(new FeatureLevelRecord()
                .setName(MetadataVersion.FEATURE_NAME)
                .setFeatureLevel(MetadataVersion.latestProduction().featureLevel()));
        features.replay(new FeatureLevelRecord().setName(ELR).setFeatureLevel((short) 1));
        cluster = new ClusterControlManager.Builder()
                .setTime(clock)
                .setSnapshotRegistry(registry)
                .setSessionTimeoutNs(SESSION_NANOS)
                .setReplicaPlacer(new StripedReplicaPlacer(new Random(1)))
                .setFeatureControlManager(features)
                .setBrokerShutdownHandler((id, clean, records) -> replication.handleBrokerShutdown(id, clean, records))
                .build();
        ConfigDef keys = new ConfigDef()
                .define(MIN_ISR, ConfigDef.Type.INT, 1, ConfigDef.Range.atLeast(1), ConfigDef.Importance.HIGH, "")
                .define(UNCLEAN, ConfigDef.Type.BOOLEAN, false, ConfigDef.Importance.HIGH, "");
        configs = new ConfigurationControlManager.Builder()
                .setSnapshotRegistry(registry)
                .setFeatureControl(features)
                .setKafkaConfigSchema(new KafkaConfigSchema(
                        Map.of(ConfigResource.Type.BROKER, keys, ConfigResource.Type.TOPIC, keys),
                        Map.of(
                                MIN_ISR, List.of(new ConfigSynonym(MIN_ISR)),
                                UNCLEAN, List.of(new ConfigSynonym(UNCLEAN)))))
                .build();
        replication = new ReplicationControlManager.Builder()
                .setSnapshotRegistry(registry)
                .setMaxElectionsPerImbalance(1_000)
                .setConfigurationControl(configs)
                .setClusterControl(cluster)
                .setCreateTopicPolicy(Optional.empty())
                .setFeatureControl(features)
                .build();
        cluster.activate();
    }

    private void replay(List<ApiMessageAndVersion> records) {
        for (ApiMessageAndVersion record : records) {
            Object message = record.message();
            if (message instanceof RegisterBrokerRecord registered) {
                cluster.replay(registered, registered.brokerEpoch());
            } else if (message instanceof BrokerRegistrationChangeRecord changed) {
                cluster.replay(changed);
            } else if (message instanceof UnregisterBrokerRecord gone) {
                cluster.replay(gone);
            } else if (message instanceof TopicRecord topic) {
                topics.add(topic.name());
                replication.replay(topic);
            } else if (message instanceof RemoveTopicRecord topic) {
                replication.replay(topic);
            } else if (message instanceof PartitionRecord partition) {
                replication.replay(partition);
            } else if (message instanceof PartitionChangeRecord partition) {
                replication.replay(partition);
            } else if (message instanceof ClearElrRecord clear) {
                clear(clear);
            } else if (message instanceof ConfigRecord config) {
                configs.replay(config);
            } else {
                throw new IllegalStateException("no replay for " + message);
            }
        }
    }

    /**
     * Kafka's replay does not take the seats that it clears out of its index of them: a later unclean return would write a
     * partition's change once for each, and fail if the topic is gone. The index is put right here, so that the tests
     * go on.
     */
    private void clear(ClearElrRecord record) {
        Map<Uuid, Map<Integer, int[]>> seats = new HashMap<>();
        for (String topic : topics) {
            Uuid id = replication.getTopicId(topic);
            if (id != null
                    && (record.topicName().isEmpty() || record.topicName().equals(topic))) {
                for (int i = 0; replication.getPartition(id, i) != null; i++) {
                    seats.computeIfAbsent(id, none -> new HashMap<>()).put(i, replication.getPartition(id, i).elr);
                }
            }
        }
        replication.replay(record);
        seats.forEach((id, partitions) ->
                partitions.forEach((number, elr) -> replication.brokersToElrs().update(id, number, elr, new int[0])));
    }

    private static int code(Throwable failure) {
        return ApiError.fromThrowable(failure).error().code();
    }

    private static ControllerRequestContext context(ApiKeys api, int version) {
        return new ControllerRequestContext(
                new RequestHeaderData().setRequestApiKey(api.id).setRequestApiVersion((short) version),
                KafkaPrincipal.ANONYMOUS,
                OptionalLong.empty());
    }

    // ---- brokers ----

    /** All sessions run out; nobody is fenced for it yet. */
    public void sessionsRunOut() {
        clock.nanos += 10 * SESSION_NANOS;
    }

    /**
     * @param directories two or more: then Kafka leaves it open in which of them a replica is, and does not judge replicas
     *     by the directories of a later registration
     * @param newEpoch index of the registration
     */
    public int register(int id, Uuid incarnation, List<Uuid> directories, long previousEpoch, long newEpoch) {
        var supported = new BrokerRegistrationRequestData.FeatureCollection();
        supported.add(new BrokerRegistrationRequestData.Feature()
                .setName(MetadataVersion.FEATURE_NAME)
                .setMinSupportedVersion((short) 7)
                .setMaxSupportedVersion(MetadataVersion.latestTesting().featureLevel()));
        supported.add(new BrokerRegistrationRequestData.Feature()
                .setName(ELR)
                .setMinSupportedVersion((short) 0)
                .setMaxSupportedVersion((short) 1));
        try {
            var result = cluster.registerBroker(
                    new BrokerRegistrationRequestData()
                            .setBrokerId(id)
                            .setClusterId(cluster.clusterId())
                            .setIncarnationId(incarnation)
                            .setFeatures(supported)
                            .setLogDirs(directories)
                            .setPreviousBrokerEpoch(previousEpoch),
                    newEpoch,
                    new FinalizedControllerFeatures(
                            Map.of(
                                    MetadataVersion.FEATURE_NAME,
                                    MetadataVersion.latestProduction().featureLevel()),
                            newEpoch),
                    true);
            replay(result.records());
            return 0;
        } catch (RuntimeException e) {
            return code(e);
        }
    }

    /** @param index of the entry that the heartbeat leads to, if it leads to one */
    public Beat heartbeat(int id, long epoch, long metadataIndex, boolean wantFence, boolean wantShutDown, long index) {
        try {
            cluster.trackBrokerHeartbeat(id, epoch);
            var result = replication.processBrokerHeartbeat(
                    new BrokerHeartbeatRequestData()
                            .setBrokerId(id)
                            .setBrokerEpoch(epoch)
                            .setCurrentMetadataOffset(metadataIndex)
                            .setWantFence(wantFence)
                            .setWantShutDown(wantShutDown),
                    cluster.registerBrokerRecordOffset(id).orElse(-1));
            replay(result.records());
            BrokerHeartbeatReply reply = result.response();
            if (reply.inControlledShutdown()) {
                cluster.heartbeatManager().maybeUpdateControlledShutdownOffset(id, index);
            }
            return new Beat(0, reply.isCaughtUp(), reply.isFenced(), reply.shouldShutDown());
        } catch (RuntimeException e) {
            return new Beat(code(e), false, false, false);
        }
    }

    /** As when its session was found to have run out. */
    public void fence(int id) {
        List<ApiMessageAndVersion> records = new ArrayList<>();
        replication.handleBrokerFenced(id, records);
        replay(records);
        cluster.heartbeatManager().fence(id);
    }

    public int unregister(int id) {
        try {
            replay(replication.unregisterBroker(id).records());
            return 0;
        } catch (RuntimeException e) {
            return code(e);
        }
    }

    /** The broker, or null. */
    public Broker broker(int id) {
        BrokerRegistration broker = cluster.registration(id);
        return broker == null ? null : new Broker(broker.epoch(), broker.fenced(), broker.inControlledShutdown());
    }

    // ---- topics ----

    /** @param assignment null to have Kafka choose, and then nothing is created: only the error is told */
    public int createTopic(
            String name,
            int partitions,
            int replicationFactor,
            List<List<Integer>> assignment,
            Map<String, String> configs) {
        CreatableTopic topic = new CreatableTopic()
                .setName(name)
                .setNumPartitions(partitions)
                .setReplicationFactor((short) replicationFactor);
        if (assignment != null) {
            for (int i = 0; i < assignment.size(); i++) {
                topic.assignments()
                        .add(new CreatableReplicaAssignment()
                                .setPartitionIndex(i)
                                .setBrokerIds(assignment.get(i)));
            }
        }
        configs.forEach((key, value) ->
                topic.configs().add(new CreatableTopicConfig().setName(key).setValue(value)));
        CreateTopicsRequestData request = new CreateTopicsRequestData();
        request.topics().add(topic);
        ControllerResult<CreateTopicsResponseData> result =
                replication.createTopics(context(ApiKeys.CREATE_TOPICS, 7), request, Set.of(name), false);
        if (assignment != null) {
            replay(result.records());
        }
        return result.response().topics().find(name).errorCode();
    }

    /** @param assignment as for a new topic */
    public int createPartitions(String name, int count, List<List<Integer>> assignment) {
        CreatePartitionsTopic topic =
                new CreatePartitionsTopic().setName(name).setCount(count).setAssignments(null);
        if (assignment != null) {
            topic.setAssignments(assignment.stream()
                    .map(replicas -> new CreatePartitionsAssignment().setBrokerIds(replicas))
                    .toList());
        }
        var result = replication.createPartitions(context(ApiKeys.CREATE_PARTITIONS, 3), List.of(topic));
        if (assignment != null) {
            replay(result.records());
        }
        return result.response().get(0).errorCode();
    }

    public int deleteTopic(String name) {
        Uuid id = replication.getTopicId(name);
        if (id == null) {
            return Errors.UNKNOWN_TOPIC_OR_PARTITION.code();
        }
        var result = replication.deleteTopics(context(ApiKeys.DELETE_TOPICS, 6), List.of(id));
        for (ApiMessageAndVersion record : result.records()) {
            if (record.message() instanceof RemoveTopicRecord) {
                configs.deleteTopicConfigs(name);
            }
        }
        replay(result.records());
        return result.response().get(id).error().code();
    }

    /** @param topic null for the cluster's default; {@code value} null to delete */
    public int setConfig(String topic, String key, String value) {
        ConfigResource resource = topic == null
                ? new ConfigResource(ConfigResource.Type.BROKER, "")
                : new ConfigResource(ConfigResource.Type.TOPIC, topic);
        Map<String, Map.Entry<OpType, String>> edit =
                Map.of(key, Map.entry(value == null ? OpType.DELETE : OpType.SET, value == null ? "" : value));
        var result = configs.incrementalAlterConfigs(Map.of(resource, edit), false, false);
        replay(result.records());
        return result.response().get(resource).error().code();
    }

    // ---- partitions ----

    /** @param topic null for an id that no topic has */
    public int alterPartition(
            int sender,
            long senderEpoch,
            String topic,
            int partition,
            int leaderEpoch,
            int partitionEpoch,
            boolean recovering,
            List<Member> isr) {
        var row = new AlterPartitionRequestData.PartitionData()
                .setPartitionIndex(partition)
                .setLeaderEpoch(leaderEpoch)
                .setPartitionEpoch(partitionEpoch)
                .setLeaderRecoveryState(
                        (recovering ? LeaderRecoveryState.RECOVERING : LeaderRecoveryState.RECOVERED).value())
                .setNewIsrWithEpochs(isr.stream()
                        .map(member -> new AlterPartitionRequestData.BrokerState()
                                .setBrokerId(member.brokerId())
                                .setBrokerEpoch(member.brokerEpoch()))
                        .toList());
        Uuid id = topic == null ? new Uuid(1, 1) : replication.getTopicId(topic);
        var request = new AlterPartitionRequestData()
                .setBrokerId(sender)
                .setBrokerEpoch(senderEpoch)
                .setTopics(List.of(
                        new AlterPartitionRequestData.TopicData().setTopicId(id).setPartitions(List.of(row))));
        try {
            var result = replication.alterPartition(context(ApiKeys.ALTER_PARTITION, 3), request);
            replay(result.records());
            return result.response().topics().get(0).partitions().get(0).errorCode();
        } catch (RuntimeException e) {
            return code(e);
        }
    }

    /** @param target null to cancel */
    public int reassign(String topic, int partition, List<Integer> target, boolean allowReplicationFactorChange) {
        var request = new AlterPartitionReassignmentsRequestData()
                .setAllowReplicationFactorChange(allowReplicationFactorChange)
                .setTopics(List.of(new ReassignableTopic()
                        .setName(topic)
                        .setPartitions(List.of(new ReassignablePartition()
                                .setPartitionIndex(partition)
                                .setReplicas(target)))));
        var result = replication.alterPartitionReassignments(request);
        replay(result.records());
        return result.response().responses().get(0).partitions().get(0).errorCode();
    }

    public int elect(boolean unclean, String topic, int partition) {
        var rows = new ElectLeadersRequestData.TopicPartitionsCollection();
        rows.add(new TopicPartitions().setTopic(topic).setPartitions(List.of(partition)));
        var result = replication.electLeaders(new ElectLeadersRequestData()
                .setElectionType((byte) (unclean ? 1 : 0))
                .setTopicPartitions(rows));
        replay(result.records());
        return result.response()
                .replicaElectionResults()
                .get(0)
                .partitionResult()
                .get(0)
                .errorCode();
    }

    /** What the controller does by itself from time to time. */
    public void balance() {
        replay(replication.maybeBalancePartitionLeaders().records());
    }

    /** Likewise, for partitions without a leader. */
    public void electUncleanly() {
        replay(replication.maybeElectUncleanLeaders().records());
    }

    /** The partition, or null. */
    public View partition(String topic, int number) {
        Uuid id = replication.getTopicId(topic);
        PartitionRegistration state = id == null ? null : replication.getPartition(id, number);
        return state == null
                ? null
                : new View(
                        list(state.replicas),
                        list(state.addingReplicas),
                        list(state.removingReplicas),
                        list(state.isr),
                        Arrays.stream(state.elr).sorted().boxed().toList(),
                        list(state.lastKnownElr),
                        state.leader,
                        state.leaderEpoch,
                        state.partitionEpoch,
                        state.leaderRecoveryState == LeaderRecoveryState.RECOVERING);
    }

    /** Kafka goes on from that state. */
    public void set(String topic, int number, View state) {
        Uuid id = replication.getTopicId(topic);
        replication.replay(new PartitionRecord()
                .setTopicId(id)
                .setPartitionId(number)
                .setReplicas(state.replicas())
                .setAddingReplicas(state.adding())
                .setRemovingReplicas(state.removing())
                .setIsr(state.isr())
                .setEligibleLeaderReplicas(state.elr())
                .setLastKnownElr(state.lastKnownElr())
                .setLeader(state.leader())
                .setLeaderEpoch(state.leaderEpoch())
                .setPartitionEpoch(state.partitionEpoch())
                .setLeaderRecoveryState(
                        (state.recovering() ? LeaderRecoveryState.RECOVERING : LeaderRecoveryState.RECOVERED).value())
                .setDirectories(Collections.nCopies(state.replicas().size(), DirectoryId.UNASSIGNED)));
    }

    /** What Kafka takes the effective min ISR of every partition of the topic to be. */
    public int effectiveMinIsr(String topic) {
        return replication.getTopicEffectiveMinIsr(topic);
    }

    private static List<Integer> list(int[] ids) {
        return Arrays.stream(ids).boxed().toList();
    }
}
