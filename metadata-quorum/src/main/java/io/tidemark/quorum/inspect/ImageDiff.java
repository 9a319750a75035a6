package io.tidemark.quorum.inspect;

import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What is different between two states. */
final class ImageDiff {
    private final ClusterImage before;
    private final ClusterImage after;
    private final List<Difference> differences = new ArrayList<>();

    /**
     * One thing that differs.
     *
     * @param kind broker, topic, partition, config or cluster
     * @param before in words, null if it was not there; {@code after} likewise
     */
    record Difference(String kind, String name, String before, String after) {
        String text() {
            if (before == null) {
                return "+ " + kind + " " + name + ": " + after;
            }
            return after == null
                    ? "- " + kind + " " + name + ": " + before
                    : "~ " + kind + " " + name + ": " + before + " -> " + after;
        }

        Map<String, Object> json() {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("kind", kind);
            row.put("name", name);
            row.put("before", before);
            row.put("after", after);
            return row;
        }
    }

    private ImageDiff(ClusterImage before, ClusterImage after) {
        this.before = before;
        this.after = after;
    }

    static List<Difference> of(ClusterImage before, ClusterImage after) {
        ImageDiff diff = new ImageDiff(before, after);
        diff.note(
                "cluster",
                "history",
                String.format("%016x", before.historyId()),
                String.format("%016x", after.historyId()));
        diff.note("cluster", "metadata level", before.level(), after.level());
        diff.note("cluster", "next producer id", before.nextProducerId(), after.nextProducerId());
        diff.brokers();
        diff.topics();
        diff.configs();
        return diff.differences;
    }

    private void note(String kind, String name, Object left, Object right) {
        if (!Objects.equals(left, right)) {
            differences.add(new Difference(
                    kind, name, left == null ? null : left.toString(), right == null ? null : right.toString()));
        }
    }

    private void brokers() {
        Set<Integer> ids = new TreeSet<>(before.brokers().keySet());
        ids.addAll(after.brokers().keySet());
        ids.forEach(id -> {
            BrokerState was = before.broker(id);
            BrokerState is = after.broker(id);
            note("broker", id.toString(), words(was, is), words(is, was));
        });
    }

    /** What is seldom of interest only where it differs from the other one. */
    private static String words(BrokerState broker, BrokerState other) {
        if (broker == null) {
            return null;
        }
        StringBuilder words = new StringBuilder("epoch=" + broker.epoch() + " " + StateText.state(broker)
                + " incarnation=" + broker.incarnationId() + " "
                + broker.endpoints().stream().map(RecordFields::of).toList());
        StateText.rest(broker).forEach((name, value) -> {
            if (other == null || !value.equals(StateText.rest(other).get(name))) {
                words.append(' ').append(name).append('=').append(value);
            }
        });
        return words.toString();
    }

    private void topics() {
        Map<String, TopicId> ids = new TreeMap<>();
        before.topics().values().forEach(topic -> ids.put(topic.name() + " " + topic.id(), topic.id()));
        after.topics().values().forEach(topic -> ids.put(topic.name() + " " + topic.id(), topic.id()));
        ids.values().forEach(id -> topic(before.topic(id), after.topic(id)));
    }

    private void topic(TopicState left, TopicState right) {
        if (left == right) {
            return;
        }
        String name = (left == null ? right : left).name();
        if (left == null || right == null) {
            note("topic", name, words(left), words(right));
        }
        int count = Math.max(count(left), count(right));
        for (int i = 0; i < count; i++) {
            PartitionState was = left == null ? null : left.partition(i);
            PartitionState is = right == null ? null : right.partition(i);
            if (was != is) {
                note("partition", name + "-" + i, words(was), words(is));
            }
        }
    }

    private static int count(TopicState topic) {
        return topic == null ? 0 : topic.partitions().size();
    }

    private static String words(TopicState topic) {
        return topic == null ? null : "id=" + topic.id() + " partitions=" + count(topic);
    }

    private static String words(PartitionState state) {
        return state == null ? null : StateText.partition(state);
    }

    private void configs() {
        Set<ConfigResource> resources = new HashSet<>(before.configs().keySet());
        resources.addAll(after.configs().keySet());
        Map<String, ConfigResource> ordered = new TreeMap<>();
        resources.forEach(resource -> ordered.put(StateSelection.nameOf(resource), resource));
        ordered.forEach((name, resource) -> {
            Set<String> keys = new TreeSet<>(before.configs(resource).keySet());
            keys.addAll(after.configs(resource).keySet());
            keys.forEach(key -> note(
                    "config",
                    name + " " + key,
                    before.configs(resource).get(key),
                    after.configs(resource).get(key)));
        });
    }
}
