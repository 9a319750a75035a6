package io.tidemark.model.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * Everything a controller reads from its properties; times in milliseconds, sizes in bytes.
 *
 * @param nodeId 0 or more; one of the voters
 * @param roles contains CONTROLLER
 * @param voters all controllers, this one included: where it listens is its own entry
 * @param directory data directory of the quorum, absolute
 * @param electionTimeoutMinMs at least 50, and below the maximum
 * @param maxPartitionsPerRequest partitions one request may create or change; more is refused
 * @param topicDeletion {@code delete.topic.enable}: whether clients may delete topics
 */
public record ControllerConfig(
        int nodeId,
        Set<NodeRole> roles,
        List<QuorumVoter> voters,
        Path directory,
        QuorumRpc rpc,
        int electionTimeoutMinMs,
        int electionTimeoutMaxMs,
        SessionConfig session,
        TopicDefaults topicDefaults,
        UncleanElection uncleanElection,
        SnapshotConfig snapshots,
        HistoryConfig history,
        int maxPartitionsPerRequest,
        boolean topicDeletion,
        LeadershipConfig leadership,
        HealthConfig health) {

    /** Reads a file and logs its warnings; throws ConfigException with all problems. */
    public static ControllerConfig load(Path file) {
        ConfigReader reader = ConfigReader.load(file);
        ControllerConfig config = from(reader);
        ConfigWarnings.log(file, reader);
        return config;
    }

    /** Reads and judges all properties; throws ConfigException with all problems. */
    public static ControllerConfig from(ConfigReader reader) {
        ControllerConfig config = read(reader);
        reader.finish(config.roles);
        return config;
    }

    /** This controller's own entry among the voters. */
    public QuorumVoter self() {
        return voters.stream().filter(voter -> voter.id() == nodeId).findFirst().orElseThrow();
    }

    static ControllerConfig read(ConfigReader reader) {
        int nodeId = reader.requiredInteger("node.id", 0, Integer.MAX_VALUE);
        List<QuorumVoter> voters =
                reader.required("controller.quorum.voters", List.<QuorumVoter>of(), QuorumVoter::parseList);
        if (!voters.isEmpty() && voters.stream().noneMatch(voter -> voter.id() == nodeId)) {
            reader.problem("controller.quorum.voters does not name this controller, node.id = " + nodeId);
        }
        Listeners.readControllers(reader);
        int electionMin = reader.integer("quorum.election.timeout.min.ms", 300, 50, Integer.MAX_VALUE);
        int electionMax = reader.integer("quorum.election.timeout.max.ms", 600, 100, Integer.MAX_VALUE);
        if (electionMin >= electionMax) {
            reader.problem("quorum.election.timeout.min.ms = " + electionMin
                    + " is not below quorum.election.timeout.max.ms = " + electionMax);
        }
        return new ControllerConfig(
                nodeId,
                NodeRole.read(reader, NodeRole.CONTROLLER),
                voters,
                DataPaths.controller(reader),
                reader.choice("quorum.rpc", QuorumRpc.GRPC),
                electionMin,
                electionMax,
                SessionConfig.read(reader),
                TopicDefaults.read(reader),
                UncleanElection.read(reader),
                SnapshotConfig.read(reader),
                HistoryConfig.read(reader),
                reader.integer("max.partitions.per.request", 10_000, 1, Integer.MAX_VALUE),
                reader.flag("delete.topic.enable", true),
                LeadershipConfig.read(reader),
                health(reader, voters, nodeId));
    }

    private static HealthConfig health(ConfigReader reader, List<QuorumVoter> voters, int nodeId) {
        // One that is not named has been noted as a problem.
        return voters.stream()
                .filter(voter -> voter.id() == nodeId)
                .findFirst()
                .map(self -> HealthConfig.read(reader, self.host(), self.port()))
                .orElseGet(() -> HealthConfig.read(reader, "", 0));
    }
}
