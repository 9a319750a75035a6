package io.tidemark.model.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Everything a broker reads from its properties; times in milliseconds, sizes in bytes.
 *
 * @param nodeId 0 or more
 * @param roles contains BROKER
 * @param directory the data directory, absolute
 * @param voters all controllers
 * @param rpc transport to the controllers; the same as theirs
 * @param rack {@code broker.rack}
 * @param replicaSelector from which replica consumers are to read
 * @param groups the keys of consumer groups that are given, for Kafka's coordinator to read
 * @param controlledShutdownMaxWaitMs longest time a stop waits for leaders to move away
 */
public record BrokerConfig(
        int nodeId,
        Set<NodeRole> roles,
        Path directory,
        Listeners listeners,
        List<QuorumVoter> voters,
        QuorumRpc rpc,
        Optional<String> rack,
        ReplicaSelector replicaSelector,
        AutoTopicCreation autoTopicCreation,
        TopicDefaults topicDefaults,
        SessionConfig session,
        NetworkConfig network,
        ReplicationConfig replication,
        LogConfig log,
        Map<String, String> groups,
        long controlledShutdownMaxWaitMs,
        HealthConfig health) {

    /** Reads a file and logs its warnings; throws ConfigException with all problems. */
    public static BrokerConfig load(Path file) {
        ConfigReader reader = ConfigReader.load(file);
        BrokerConfig config = from(reader);
        ConfigWarnings.log(file, reader);
        return config;
    }

    /** Reads and judges all properties; throws ConfigException with all problems. */
    public static BrokerConfig from(ConfigReader reader) {
        BrokerConfig config = read(reader);
        reader.finish(config.roles);
        return config;
    }

    static BrokerConfig read(ConfigReader reader) {
        int nodeId = reader.requiredInteger("node.id", 0, Integer.MAX_VALUE);
        Set<NodeRole> roles = NodeRole.read(reader, NodeRole.BROKER);
        List<QuorumVoter> voters =
                reader.required("controller.quorum.voters", List.<QuorumVoter>of(), QuorumVoter::parseList);
        if (!roles.contains(NodeRole.CONTROLLER) && voters.stream().anyMatch(voter -> voter.id() == nodeId)) {
            reader.problem("node.id = " + nodeId + " is also the id of a controller in controller.quorum.voters");
        }
        if (!reader.text("authorizer.class.name").isEmpty()) {
            reader.problem("authorizer.class.name is not built yet: every client would be allowed everything");
        }
        TopicDefaults topicDefaults = TopicDefaults.read(reader);
        Listeners listeners = Listeners.read(reader);
        return new BrokerConfig(
                nodeId,
                roles,
                DataPaths.broker(reader),
                listeners,
                voters,
                reader.choice("quorum.rpc", QuorumRpc.GRPC),
                Optional.of(reader.text("broker.rack")).filter(rack -> !rack.isEmpty()),
                ReplicaSelector.read(reader),
                AutoTopicCreation.read(reader, topicDefaults),
                topicDefaults,
                SessionConfig.read(reader),
                NetworkConfig.read(reader),
                ReplicationConfig.read(reader),
                LogConfig.read(reader),
                GroupKeys.read(reader),
                reader.number("controlled.shutdown.max.wait.ms", 5_000, 0, Integer.MAX_VALUE),
                health(reader, listeners));
    }

    /** A listener's name that is not there has been noted as a problem. */
    private static HealthConfig health(ConfigReader reader, Listeners listeners) {
        Listener near = listeners.bound().stream()
                .filter(listener -> listener.name().equals(listeners.interBrokerName()))
                .findFirst()
                .orElse(listeners.bound().get(0));
        return HealthConfig.read(reader, near.host(), near.port());
    }
}
