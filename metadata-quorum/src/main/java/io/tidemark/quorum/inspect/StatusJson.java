package io.tidemark.quorum.inspect;

import io.tidemark.model.codec.Json;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.quorum.inspect.ClusterStatus.Controller;
import io.tidemark.quorum.inspect.ClusterStatus.Partition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A cluster's status for programs: the same data as the text, under names that stay. */
final class StatusJson {
    private StatusJson() {}

    static String of(ClusterStatus status) {
        Map<String, Object> root = new LinkedHashMap<>();
        List<String> problems = status.problems();
        root.put("healthy", problems.isEmpty());
        root.put("problems", problems);
        root.put("leader", status.leaderId());
        root.put(
                "controllers", status.controllers().stream().map(StatusJson::of).toList());
        root.put(
                "brokers",
                status.brokers().stream()
                        .map(broker -> of(broker, status.fastPathOff().get(broker.id())))
                        .toList());
        root.put("topics", status.image() == null ? 0 : status.image().topics().size());
        root.put("partitions", status.partitions().size());
        PartitionCounts counts = status.counts();
        root.put("underReplicated", partitions(counts.underReplicated()));
        root.put("underMinIsr", partitions(counts.underMinIsr()));
        root.put("atMinIsr", partitions(counts.atMinIsr()));
        root.put("offline", partitions(counts.offline()));
        root.put("elrOnly", partitions(counts.elrOnly()));
        root.put("allReplicasDown", partitions(counts.allReplicasDown()));
        root.put("leaderSilent", partitions(counts.leaderSilent()));
        root.put("warnings", status.warnings());
        root.put("nodes", status.nodes().stream().map(StatusJson::of).toList());
        return Json.of(root);
    }

    private static Map<String, Object> of(Controller controller) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("id", controller.id());
        row.put("address", controller.address());
        row.put("reachable", controller.reachable());
        row.put("leader", controller.leads());
        if (controller.reachable()) {
            row.put("term", controller.answer().term());
            row.put("applied", controller.answer().appliedIndex());
            row.put("lag", controller.lag());
            row.put("voidEntries", controller.answer().voidEntries());
            row.put("digest", String.format("%016x", controller.answer().digest()));
        } else {
            row.put("problem", controller.problem());
        }
        return row;
    }

    private static Map<String, Object> of(NodeAnswer node) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("id", node.id());
        row.put("address", node.address());
        row.put("answered", node.answered());
        row.put("ready", node.ready());
        row.put("problems", node.problems());
        return row;
    }

    private static Map<String, Object> of(BrokerState broker, String fastPathOff) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("id", broker.id());
        row.put("epoch", broker.epoch());
        row.put("fenced", broker.fenced());
        row.put("shuttingDown", broker.shuttingDown());
        row.put("fastPathOff", fastPathOff);
        row.put(
                "endpoints",
                broker.endpoints().stream()
                        .map(endpoint -> endpoint.listener() + "://" + endpoint.host() + ":" + endpoint.port())
                        .toList());
        return row;
    }

    static List<Map<String, Object>> partitions(List<Partition> partitions) {
        return partitions.stream().map(StatusJson::of).toList();
    }

    static Map<String, Object> of(Partition partition) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("topic", partition.topic());
        row.put("partition", partition.state().id().partition());
        row.put("leader", partition.state().leader());
        row.put("leaderEpoch", partition.state().leaderEpoch());
        row.put("partitionEpoch", partition.state().partitionEpoch());
        row.put("replicas", partition.state().replicas());
        row.put("isr", partition.state().isr());
        row.put("elr", partition.state().elr());
        row.put("minIsr", partition.state().minIsr());
        return row;
    }
}
