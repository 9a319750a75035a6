package io.tidemark.broker.drill.plan;

import io.tidemark.broker.drill.plan.ClusterPlan.TopicPlan;
import io.tidemark.broker.drill.plan.WorkloadPlan.ConsumerPlan;
import io.tidemark.broker.drill.plan.WorkloadPlan.ProducerPlan;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads a drill from YAML; docs/DRILLS.md describes the format. Throws PlanException with the line of a mistake. */
public final class DrillReader {
    private static final int MOST_NODES = 9;

    private DrillReader() {}

    /** @param file its name, for messages */
    public static Drill read(String file, String text) {
        YamlNode root = YamlNode.parse(file, text);
        Map<String, YamlNode> fields = root.fields(Set.of(
                "name", "promise", "cluster", "workload", "keeps", "steps", "length", "expect", "expect-on-kafka"));
        ClusterPlan cluster = cluster(required(root, fields, "cluster"));
        Drill drill = new Drill(
                name(required(root, fields, "name")),
                required(root, fields, "promise").text(),
                cluster,
                workload(required(root, fields, "workload")),
                fields.containsKey("keeps") ? keeps(fields.get("keeps")) : Keeps.EVERYTHING,
                new StepReader(cluster).read(required(root, fields, "steps")),
                required(root, fields, "length").durationMs(),
                bounds(fields.get("expect")),
                bounds(fields.get("expect-on-kafka")));
        if (drill.slowDisks().stream().anyMatch(cluster.diskMb()::containsKey)) {
            throw required(root, fields, "cluster").wrong("a disk is either small or can be slowed");
        }
        return drill;
    }

    static YamlNode required(YamlNode parent, Map<String, YamlNode> fields, String name) {
        YamlNode node = fields.get(name);
        if (node == null) {
            throw parent.wrong(name + " is missing");
        }
        return node;
    }

    private static String name(YamlNode node) {
        String name = node.text();
        if (!name.matches("[a-z0-9][a-z0-9-]{0,60}")) {
            throw node.wrong("a name is of small letters, digits and hyphens");
        }
        return name;
    }

    private static ClusterPlan cluster(YamlNode node) {
        Map<String, YamlNode> fields = node.fields(Set.of("brokers", "controllers", "settings", "disks", "topics"));
        int brokers =
                fields.containsKey("brokers") ? (int) fields.get("brokers").number(1, MOST_NODES) : 3;
        int controllers = fields.containsKey("controllers")
                ? (int) fields.get("controllers").number(1, MOST_NODES)
                : 3;
        Map<String, Map<String, String>> settings = new HashMap<>();
        if (fields.containsKey("settings")) {
            fields.get("settings")
                    .fields(Set.of("all", "broker", "controller"))
                    .forEach((role, values) -> settings.put(role, values.texts()));
        }
        Map<Integer, Integer> disks = new HashMap<>();
        if (fields.containsKey("disks")) {
            fields.get("disks").fields().forEach((id, size) -> {
                if (!id.matches("[1-9]") || Integer.parseInt(id) > brokers) {
                    throw size.wrong("there is no broker " + id);
                }
                disks.put(Integer.valueOf(id), (int) size.number(16, 4096));
            });
        }
        List<TopicPlan> topics = new ArrayList<>();
        for (YamlNode topic : required(node, fields, "topics").items()) {
            topics.add(topic(topic, brokers));
        }
        unique(node, topics.stream().map(TopicPlan::name).toList());
        if (topics.isEmpty()) {
            throw fields.get("topics").wrong("a drill needs a topic");
        }
        return new ClusterPlan(brokers, controllers, settings, disks, topics);
    }

    private static TopicPlan topic(YamlNode node, int brokers) {
        Map<String, YamlNode> fields = node.fields(Set.of("name", "partitions", "replicas", "assignment", "configs"));
        YamlNode name = required(node, fields, "name");
        if (!name.text().matches("[a-z0-9][a-z0-9-]{0,60}")) {
            throw name.wrong("a topic's name is of small letters, digits and hyphens here");
        }
        List<List<Integer>> assignment = new ArrayList<>();
        if (fields.containsKey("assignment")) {
            if (fields.containsKey("partitions") || fields.containsKey("replicas")) {
                throw node.wrong("either assignment, or partitions and replicas");
            }
            fields.get("assignment").items().forEach(item -> assignment.add(replicas(item, brokers)));
            if (assignment.isEmpty()) {
                throw node.wrong("a topic needs a partition");
            }
        } else {
            int partitions = fields.containsKey("partitions")
                    ? (int) fields.get("partitions").number(1, 100)
                    : 1;
            int replicas = fields.containsKey("replicas")
                    ? (int) fields.get("replicas").number(1, brokers)
                    : Math.min(3, brokers);
            for (int partition = 0; partition < partitions; partition++) {
                List<Integer> ids = new ArrayList<>();
                for (int replica = 0; replica < replicas; replica++) {
                    ids.add((partition + replica) % brokers + 1);
                }
                assignment.add(ids);
            }
        }
        Map<String, String> configs =
                fields.containsKey("configs") ? fields.get("configs").texts() : Map.of();
        return new TopicPlan(name.text(), assignment, configs);
    }

    static List<Integer> replicas(YamlNode node, int brokers) {
        List<Integer> ids = node.ids();
        if (ids.isEmpty() || new HashSet<>(ids).size() < ids.size()) {
            throw node.wrong("replicas are different brokers, at least one");
        }
        ids.forEach(id -> {
            if (id < 1 || id > brokers) {
                throw node.wrong("there is no broker " + id);
            }
        });
        return ids;
    }

    private static WorkloadPlan workload(YamlNode node) {
        Map<String, YamlNode> fields = node.fields(Set.of("producers", "consumers"));
        List<ProducerPlan> producers = new ArrayList<>();
        for (YamlNode item : required(node, fields, "producers").items()) {
            producers.add(producer(item));
        }
        if (producers.stream().noneMatch(ProducerPlan::promises)) {
            throw node.wrong("a drill needs a producer with acks: all, or nothing is promised");
        }
        List<ConsumerPlan> consumers = new ArrayList<>();
        if (fields.containsKey("consumers")) {
            for (YamlNode item : fields.get("consumers").items()) {
                Map<String, YamlNode> consumer = item.fields(Set.of("name", "members"));
                consumers.add(new ConsumerPlan(
                        name(required(item, consumer, "name")),
                        consumer.containsKey("members")
                                ? (int) consumer.get("members").number(0, 10)
                                : 0));
            }
        }
        unique(node, producers.stream().map(ProducerPlan::name).toList());
        unique(node, consumers.stream().map(ConsumerPlan::name).toList());
        return new WorkloadPlan(producers, consumers);
    }

    private static void unique(YamlNode node, List<String> names) {
        if (new HashSet<>(names).size() < names.size()) {
            throw node.wrong("two have one name: " + String.join(", ", names));
        }
    }

    private static ProducerPlan producer(YamlNode node) {
        Map<String, YamlNode> fields = node.fields(Set.of("name", "acks", "idempotent", "rate", "count"));
        YamlNode acks = required(node, fields, "acks");
        if (!acks.text().equals("all") && !acks.text().equals("1")) {
            throw acks.wrong("acks has to be all or 1");
        }
        boolean idempotent = fields.containsKey("idempotent")
                ? fields.get("idempotent").flag()
                : acks.text().equals("all");
        if (idempotent && !acks.text().equals("all")) {
            throw acks.wrong("an idempotent producer has acks: all");
        }
        return new ProducerPlan(
                name(required(node, fields, "name")),
                acks.text(),
                idempotent,
                fields.containsKey("rate") ? (int) fields.get("rate").number(1, 10_000) : 200,
                fields.containsKey("count") ? fields.get("count").number(1, 100_000_000) : Long.MAX_VALUE);
    }

    private static Keeps keeps(YamlNode node) {
        Map<String, YamlNode> fields = node.fields(Set.of("controllers", "replicas", "data"));
        return new Keeps(
                kept(fields.get("controllers"), "majority"),
                kept(fields.get("replicas"), "one"),
                kept(fields.get("data"), "one"));
    }

    private static boolean kept(YamlNode node, String yes) {
        if (node == null || node.text().equals(yes)) {
            return true;
        }
        if (!node.text().equals("none")) {
            throw node.wrong("it has to be " + yes + " or none");
        }
        return false;
    }

    private static Map<Measure, Bound> bounds(YamlNode node) {
        Map<Measure, Bound> bounds = new EnumMap<>(Measure.class);
        if (node == null) {
            return bounds;
        }
        node.fields().forEach((key, value) -> {
            Measure measure =
                    Measure.of(key).orElseThrow(() -> value.wrong("nothing is measured under the name " + key));
            bounds.put(measure, bound(value));
        });
        return bounds;
    }

    private static Bound bound(YamlNode node) {
        if (node.isFields()) {
            Map<String, YamlNode> fields = node.fields(Set.of("least", "most"));
            if (fields.isEmpty()) {
                throw node.wrong("an expectation has least, most, or both");
            }
            long least = fields.containsKey("least") ? fields.get("least").number(0, Long.MAX_VALUE) : 0;
            long most = fields.containsKey("most") ? fields.get("most").number(0, Long.MAX_VALUE) : Long.MAX_VALUE;
            if (least > most) {
                throw node.wrong("nothing is at least " + least + " and at most " + most);
            }
            return new Bound(least, most);
        }
        return node.text().equals("any") ? Bound.ANY : Bound.exactly(node.number(0, Long.MAX_VALUE));
    }
}
