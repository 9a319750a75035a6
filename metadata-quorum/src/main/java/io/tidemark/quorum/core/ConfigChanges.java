package io.tidemark.quorum.core;

import io.tidemark.model.metadata.BrokerDefaults;
import io.tidemark.model.metadata.BrokerKeys;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataEntry.Cause;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.MetadataRecord.ConfigSet;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand.AlterConfigs;
import io.tidemark.model.metadata.QuorumCommand.ConfigChange;
import io.tidemark.model.metadata.QuorumCommand.ConfigEdit;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.QuorumReply.Rows.Row;
import io.tidemark.model.metadata.ThrottledReplicas;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Changes of the dynamic configuration, resource by resource, each whole or not at all: of topics, of groups, of
 * brokers and of the cluster's default (the empty name). Brokers take their own keys ({@link BrokerKeys}) and what
 * topics without a value of their own fall back to ({@link BrokerDefaults}), except what the quorum acts on, which only the
 * cluster as a whole has (R7.48). A topic's min ISR above what its partitions have of replicas is refused. What follows for partitions is the fold's (B3), except that where unclean elections are
 * allowed now, partitions without a leader get one at once (R7.35).
 */
final class ConfigChanges {
    /** Keys whose value is a list, with what an unset one is extended from. */
    private static final Map<String, String> LIST_KEYS = Map.of(
            "cleanup.policy",
            "delete",
            "log.cleanup.policy",
            "delete",
            ThrottledReplicas.LEADER_KEY,
            "",
            ThrottledReplicas.FOLLOWER_KEY,
            "");

    /** What the quorum acts on. */
    private static final Set<String> CLUSTER_KEYS =
            Set.of(ClusterImage.MIN_ISR_KEY, RecoveryStrategy.UNCLEAN_KEY, RecoveryStrategy.KEY);

    private static final String SEGMENT_KEY = "log.segment.bytes";
    /** Bytes; what a broker's file may say, unlike a topic. */
    private static final int MIN_SEGMENT_BYTES = 1_048_576;

    private final ClusterImage image;
    private final List<ConfigSet> records = new ArrayList<>();
    private boolean uncleanAllowed;

    private ConfigChanges(ClusterImage image) {
        this.image = image;
    }

    static Decision decide(ClusterImage image, AlterConfigs command) {
        return decide(image, command, EntryBound.USUAL);
    }

    /** Elections of which one entry does not take all are gone on with by the acting controller ({@link ElectionRemainder}). */
    static Decision decide(ClusterImage image, AlterConfigs command, EntryBound most) {
        ConfigChanges changes = new ConfigChanges(image);
        List<Row> rows = new ArrayList<>();
        Set<ConfigResource> seen = new HashSet<>();
        for (ConfigChange change : command.changes()) {
            Problem problem = seen.add(change.resource())
                    ? changes.change(change)
                    : new Problem(ErrorCode.INVALID_REQUEST, "the request names the resource twice");
            rows.add(problem == null ? Row.DONE : new Row(problem.error(), problem.message()));
        }
        Cause cause = Causes.client("AlterConfigs", command.client());
        QuorumReply reply = new QuorumReply.Rows(rows);
        if (command.validateOnly()) {
            return Decision.of(List.of(), reply, cause);
        }
        Decision configured = Decision.of(changes.records, reply, cause);
        return changes.uncleanAllowed ? changes.electing(configured, most) : configured;
    }

    /** With elections of the leaderless partitions, as they are with the new configuration. */
    private Decision electing(Decision decision, EntryBound most) {
        MetadataEntry entry = new MetadataEntry(
                image.tip(), image.timestampMs(), decision.cause(), decision.records(), decision.reply());
        ClusterImage configured = image.apply(image.index() + 1, entry);
        PartitionMoves.Elections elections = PartitionMoves.electLeaderless(configured, most.beside(records));
        List<MetadataRecord> all = new ArrayList<>(records);
        all.addAll(elections.changes());
        return Decision.of(all, decision.reply(), decision.cause()).owingElections(!elections.whole());
    }

    private Problem change(ConfigChange change) {
        ConfigResource resource = change.resource();
        Problem unknown = unknown(resource);
        if (unknown != null) {
            return unknown;
        }
        Map<String, String> before = image.configs(resource);
        Map<String, String> after = new TreeMap<>(change.replace() ? Map.of() : before);
        Set<String> keys = new HashSet<>();
        for (ConfigEdit edit : change.edits()) {
            if (!keys.add(edit.key())) {
                return new Problem(ErrorCode.INVALID_REQUEST, "the request names " + edit.key() + " twice");
            }
            Problem problem = apply(edit, after);
            if (problem != null) {
                return problem;
            }
        }
        Problem problem = problem(resource, before, after, keys);
        if (problem == null && resource.type() == ConfigResource.Type.TOPIC) {
            problem = unreachable(resource.name(), before, after);
        }
        if (problem == null) {
            record(resource, before, after);
        }
        return problem;
    }

    private Problem unknown(ConfigResource resource) {
        if (resource.type() == ConfigResource.Type.GROUP) {
            return resource.name().isEmpty()
                    ? new Problem(ErrorCode.INVALID_REQUEST, "Default group resources are not allowed.")
                    : null;
        }
        if (resource.type() == ConfigResource.Type.BROKER) {
            return resource.equals(ConfigResource.CLUSTER_DEFAULT) ? null : unknownBroker(resource.name());
        }
        if (resource.type() == ConfigResource.Type.TOPIC) {
            return image.topic(resource.name()) != null
                    ? null
                    : new Problem(
                            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
                            "The topic '" + resource.name() + "' does not exist.");
        }
        return null;
    }

    private Problem unknownBroker(String name) {
        Problem none = new Problem(ErrorCode.INVALID_REQUEST, "Node id must be an integer, but it is: " + name);
        int id;
        try {
            id = Integer.parseInt(name);
        } catch (NumberFormatException e) {
            return none;
        }
        if (!Integer.toString(id).equals(name)) {
            return none; // as "01": its values would be of no broker
        }
        return image.broker(id) != null
                ? null
                : new Problem(ErrorCode.BROKER_ID_NOT_REGISTERED, "No node with id " + id + " found.");
    }

    /** {@code after} is what a list is appended to or subtracted from, too. */
    private static Problem apply(ConfigEdit edit, Map<String, String> after) {
        switch (edit.kind()) {
            case SET -> after.put(edit.key(), edit.value());
            case DELETE -> after.remove(edit.key());
            default -> {
                if (!LIST_KEYS.containsKey(edit.key())) {
                    return invalid("Can't " + edit.kind() + " to key " + edit.key() + " because its type is not LIST.");
                }
                Set<String> items = items(after.getOrDefault(edit.key(), LIST_KEYS.get(edit.key())));
                if (edit.kind() == ConfigEdit.Kind.APPEND) {
                    items.addAll(items(edit.value()));
                } else {
                    items.removeAll(items(edit.value()));
                }
                after.put(edit.key(), String.join(",", items));
            }
        }
        return null;
    }

    private static Set<String> items(String list) {
        Set<String> items = new LinkedHashSet<>(List.of(list.strip().split("\\s*,\\s*", -1)));
        items.remove("");
        return items;
    }

    /** @param keys that the request names: what was set before is not judged again */
    private static Problem problem(
            ConfigResource resource, Map<String, String> before, Map<String, String> after, Set<String> keys) {
        if (resource.type() == ConfigResource.Type.BROKER) {
            return brokerProblem(resource, before, after, keys);
        }
        Map<String, String> given = new TreeMap<>(after);
        given.keySet().retainAll(keys);
        String wrong = resource.type() == ConfigResource.Type.GROUP
                ? GroupConfigs.problem(given)
                : TopicConfigs.problem(given);
        return wrong == null ? null : invalid(wrong);
    }

    /**
     * A topic's min ISR that none of its partitions has the replicas for: it would count as what they have (B3), which is
     * not what was meant. Replicas that are being removed do not count.
     */
    private Problem unreachable(String topic, Map<String, String> before, Map<String, String> after) {
        String value = after.get(ClusterImage.MIN_ISR_KEY);
        if (value == null || value.equals(before.get(ClusterImage.MIN_ISR_KEY))) {
            return null;
        }
        int replicas = 0;
        for (PartitionState partition : image.topic(topic).partitions()) {
            replicas = Math.max(replicas, partition.targetReplicas());
        }
        return Long.parseLong(value) <= replicas
                ? null
                : invalid(ClusterImage.MIN_ISR_KEY + "=" + value + " is more than the " + replicas
                        + " replicas that a partition of topic " + topic + " has");
    }

    private static Problem brokerProblem(
            ConfigResource resource, Map<String, String> before, Map<String, String> after, Set<String> keys) {
        for (String key : new TreeSet<>(keys)) {
            // What is deleted and was not set is no change: tools clean up so.
            if (!Objects.equals(before.get(key), after.get(key))) {
                String wrong = brokerKeyProblem(resource, key, after.get(key));
                if (wrong != null) {
                    return invalid(wrong);
                }
            }
        }
        String conflict = BrokerKeys.conflict(after);
        if (conflict != null) {
            return invalid(conflict);
        }
        return before.containsKey(ClusterImage.MIN_ISR_KEY) && !after.containsKey(ClusterImage.MIN_ISR_KEY)
                ? invalid("Cluster-level min.insync.replicas cannot be removed while ELR is enabled.")
                : null;
    }

    /** @param value null if the key is deleted */
    private static String brokerKeyProblem(ConfigResource resource, String key, String value) {
        if (BrokerKeys.contains(key)) {
            return value == null || BrokerKeys.legal(key, value) ? null : invalidValue(key, value);
        }
        String topicKey = BrokerDefaults.topicKey(key);
        if (topicKey == null) {
            return "Cannot update these configs dynamically: [" + key + "]";
        }
        if (CLUSTER_KEYS.contains(key) && !resource.equals(ConfigResource.CLUSTER_DEFAULT)) {
            return key + " cannot be altered for a single broker, only for topics and the cluster's default";
        }
        if (value == null) {
            return null;
        }
        String wrong = TopicConfigs.valueProblem(topicKey, value);
        boolean small = wrong == null && key.equals(SEGMENT_KEY) && Long.parseLong(value) < MIN_SEGMENT_BYTES;
        if (small) {
            return key + " must be at least " + MIN_SEGMENT_BYTES;
        }
        return wrong == null ? null : invalidValue(key, value);
    }

    private static String invalidValue(String key, String value) {
        return "invalid value " + value + " for configuration " + key;
    }

    private void record(ConfigResource resource, Map<String, String> before, Map<String, String> after) {
        Set<String> keys = new TreeSet<>(before.keySet());
        keys.addAll(after.keySet());
        for (String key : keys) {
            String value = after.get(key);
            if (value == null ? before.containsKey(key) : !value.equals(before.get(key))) {
                records.add(new ConfigSet(resource, key, value));
                uncleanAllowed |= key.equals(RecoveryStrategy.UNCLEAN_KEY) || key.equals(RecoveryStrategy.KEY);
            }
        }
    }

    private static Problem invalid(String message) {
        return new Problem(ErrorCode.INVALID_CONFIG, message);
    }
}
