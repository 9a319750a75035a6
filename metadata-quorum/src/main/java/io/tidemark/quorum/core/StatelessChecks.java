package io.tidemark.quorum.core;

import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.SeatReport;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What can be refused without looking at the cluster, and so without an entry in its log. {@link Controller#decide}
 * applies the same checks, for commands that came another way.
 */
public final class StatelessChecks {
    private StatelessChecks() {}

    /**
     * The reply to a command of which no part can be carried out whatever the state of the cluster; null if it has to be
     * decided. A request with some good rows is decided, and its bad rows are refused there.
     */
    public static QuorumReply refuse(QuorumCommand command, ControllerSettings settings) {
        if (command instanceof QuorumCommand.CreateTopics create) {
            return rows(TopicRows.of(create, settings));
        } else if (command instanceof QuorumCommand.DeleteTopics delete) {
            return settings.topicDeletion()
                    ? rows(TopicRows.of(delete))
                    : refusal(new Problem(ErrorCode.TOPIC_DELETION_DISABLED, "delete.topic.enable is false"));
        } else if (command instanceof QuorumCommand.CreatePartitions grow) {
            return rows(TopicRows.of(grow));
        } else if (command instanceof QuorumCommand.RegisterBroker register) {
            return refusal(registration(register, settings));
        } else if (command instanceof QuorumCommand.AlterPartition alter) {
            return refusal(alteration(alter));
        } else if (command instanceof QuorumCommand.FenceBrokers fence) {
            return refusal(fence.brokers().isEmpty() ? invalid("no broker is named") : null);
        } else if (command instanceof QuorumCommand.AlterConfigs alter) {
            return refusal(alter.changes().isEmpty() ? invalid("no resource is named") : null);
        } else if (command instanceof QuorumCommand.ElectLeaders elect) {
            return refusal(elect.partitions().isEmpty() ? invalid("no partition is named") : null);
        } else if (command instanceof QuorumCommand.AlterReassignments alter) {
            return refusal(alter.partitions().isEmpty() ? invalid("no partition is named") : null);
        } else if (command instanceof QuorumCommand.Bootstrap bootstrap) {
            return refusal(bootstrap(bootstrap));
        }
        return null;
    }

    private static QuorumReply rows(List<TopicRows.Row> rows) {
        List<QuorumReply.Topics.Result> refused = new ArrayList<>();
        for (TopicRows.Row row : rows) {
            if (row.problem() == null) {
                return null;
            }
            refused.add(row.problem().row(row.name(), row.id()));
        }
        return new QuorumReply.Topics(refused);
    }

    private static QuorumReply refusal(Problem problem) {
        return problem == null ? null : new QuorumReply.Refused(problem.error(), problem.message());
    }

    /** R7.1, as far as it needs no state. */
    private static Problem registration(QuorumCommand.RegisterBroker command, ControllerSettings settings) {
        if (!command.clusterId().equals(settings.clusterId())) {
            return new Problem(
                    ErrorCode.INCONSISTENT_CLUSTER_ID,
                    "this is cluster " + settings.clusterId() + ", the broker belongs to " + command.clusterId());
        }
        Set<String> directories = new HashSet<>(command.directoryIds());
        if (directories.isEmpty()
                || directories.contains("")
                || directories.size() != command.directoryIds().size()) {
            return new Problem(
                    ErrorCode.INVALID_REGISTRATION, "directory ids must be present, not empty and different");
        }
        if (command.brokerId() < 0 || command.incarnationId().isEmpty()) {
            return new Problem(ErrorCode.INVALID_REGISTRATION, "a broker has an id of 0 or more and an incarnation id");
        }
        if (command.minLevel() < 0 || command.minLevel() > command.maxLevel()) {
            return new Problem(ErrorCode.INVALID_REGISTRATION, "the range of metadata levels is not a range");
        }
        for (SeatReport report : command.reports()) {
            if (report.brokerId() != command.brokerId()
                    || report.logStart() < 0
                    || report.logStart() > report.logEnd()) {
                return new Problem(
                        ErrorCode.INVALID_REGISTRATION,
                        "a broker reports its own logs, each from its start to its end");
            }
        }
        return null;
    }

    private static Problem alteration(QuorumCommand.AlterPartition command) {
        for (QuorumCommand.IsrProposal proposal : command.partitions()) {
            Floor floor = proposal.floor();
            if (floor.kind() == Floor.Kind.KNOWN && floor.offset() < 0) {
                return invalid("a floor is an offset of 0 or more");
            }
        }
        return command.partitions().isEmpty() ? invalid("no partition is named") : null;
    }

    private static Problem bootstrap(QuorumCommand.Bootstrap command) {
        if (command.level() < 1) {
            return invalid("a metadata level is 1 or more");
        }
        for (Map.Entry<String, String> config : new TreeMap<>(command.clusterConfigs()).entrySet()) {
            String problem = config.getValue() == null
                    ? "no value for configuration " + config.getKey()
                    : TopicConfigs.valueProblem(config.getKey(), config.getValue());
            if (problem != null) {
                return new Problem(ErrorCode.INVALID_CONFIG, problem);
            }
        }
        return null;
    }

    private static Problem invalid(String message) {
        return new Problem(ErrorCode.INVALID_REQUEST, message);
    }

    /** The rows of a request about topics, each with what is wrong with it whatever the cluster looks like. */
    static final class TopicRows {
        /** @param problem null if the row has to be decided */
        record Row(String name, TopicId id, Problem problem) {}

        private TopicRows() {}

        static List<Row> of(QuorumCommand.CreateTopics command, ControllerSettings settings) {
            Set<String> repeated = repeated(
                    command.topics().stream().map(QuorumCommand.NewTopic::name).toList());
            long partitions = 0;
            for (QuorumCommand.NewTopic topic : command.topics()) {
                partitions += Math.max(0, count(topic, settings));
            }
            Problem tooMany = partitions <= settings.maxPartitionsPerRequest()
                    ? null
                    : new Problem(
                            ErrorCode.POLICY_VIOLATION,
                            "a request may create " + settings.maxPartitionsPerRequest() + " partitions, this asks for "
                                    + partitions);
            List<Row> rows = new ArrayList<>();
            for (QuorumCommand.NewTopic topic : command.topics()) {
                Problem problem = tooMany != null
                        ? tooMany
                        : repeated.contains(topic.name()) ? invalid("the topic is named twice") : problem(topic);
                rows.add(new Row(topic.name(), TopicId.ZERO, problem));
            }
            return rows;
        }

        static List<Row> of(QuorumCommand.DeleteTopics command) {
            Set<QuorumCommand.TopicRef> repeated = repeated(command.topics());
            List<Row> rows = new ArrayList<>();
            for (QuorumCommand.TopicRef topic : command.topics()) {
                Problem problem = null;
                if (topic.name().isEmpty() == topic.topicId().isZero()) {
                    problem = invalid("a topic is deleted by its name or by its id");
                } else if (repeated.contains(topic)) {
                    problem = invalid("the topic is named twice");
                }
                rows.add(new Row(topic.name(), topic.topicId(), problem));
            }
            return rows;
        }

        static List<Row> of(QuorumCommand.CreatePartitions command) {
            Set<String> repeated = repeated(
                    command.topics().stream().map(QuorumCommand.Growth::name).toList());
            List<Row> rows = new ArrayList<>();
            for (QuorumCommand.Growth growth : command.topics()) {
                Problem problem = null;
                if (repeated.contains(growth.name())) {
                    problem = invalid("the topic is named twice");
                }
                rows.add(new Row(growth.name(), TopicId.ZERO, problem));
            }
            return rows;
        }

        /** Partitions that row asks for; not positive if it asks for nonsense. */
        static int count(QuorumCommand.NewTopic topic, ControllerSettings settings) {
            if (!topic.assignment().isEmpty()) {
                return topic.assignment().size();
            }
            return topic.partitions() == -1 ? settings.defaultPartitions() : topic.partitions();
        }

        /** R7.80, as far as it needs no state. */
        private static Problem problem(QuorumCommand.NewTopic topic) {
            String name = TopicNames.problem(topic.name());
            if (name != null) {
                return new Problem(ErrorCode.INVALID_TOPIC_EXCEPTION, name);
            }
            if (!topic.assignment().isEmpty()) {
                if (topic.partitions() != -1 || topic.replicationFactor() != -1) {
                    return invalid("with an assignment, partitions and replication factor must be -1");
                }
                Problem lists = ReplicaLists.problem(topic.assignment());
                if (lists != null) {
                    return lists;
                }
            } else if (topic.replicationFactor() != -1 && topic.replicationFactor() < 1) {
                return new Problem(ErrorCode.INVALID_REPLICATION_FACTOR, "a partition has at least one replica");
            } else if (topic.partitions() != -1 && topic.partitions() < 1) {
                return new Problem(ErrorCode.INVALID_PARTITIONS, "a topic has at least one partition");
            }
            String config = TopicConfigs.problem(topic.configs());
            return config == null ? null : new Problem(ErrorCode.INVALID_CONFIG, config);
        }

        private static <T> Set<T> repeated(List<T> names) {
            Set<T> seen = new HashSet<>();
            Set<T> twice = new HashSet<>();
            for (T name : names) {
                if (!seen.add(name)) {
                    twice.add(name);
                }
            }
            return twice;
        }
    }
}
