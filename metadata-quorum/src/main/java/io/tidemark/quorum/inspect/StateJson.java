package io.tidemark.quorum.inspect;

import io.tidemark.model.codec.Json;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A state, or a part of it, for programs. */
final class StateJson {
    private StateJson() {}

    static String of(Locator.Located located, StateSelection selection) {
        ClusterImage image = located.image();
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("index", located.index());
        row.put("term", located.term());
        row.put("tip", image.tip());
        row.put("timestampMs", image.timestampMs());
        row.put("time", Instant.ofEpochMilli(image.timestampMs()).toString());
        row.put("historyId", String.format("%016x", image.historyId()));
        row.put("level", image.level());
        row.put("nextProducerId", image.nextProducerId());
        row.put("digest", String.format("%016x", image.digest()));
        row.put(
                "brokers",
                selection.brokers(image).stream().map(StateJson::broker).toList());
        row.put(
                "partitions",
                selection.partitions(image).stream().map(StateJson::partition).toList());
        row.put("configs", selection.configs(image));
        return Json.of(row);
    }

    static Map<String, Object> broker(BrokerState broker) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("id", broker.id());
        row.put("epoch", broker.epoch());
        row.put("fenced", broker.fenced());
        row.put("shuttingDown", broker.shuttingDown());
        row.put("incarnation", broker.incarnationId());
        row.put("directories", broker.directoryIds());
        row.put("rack", broker.rack());
        row.put(
                "endpoints",
                List.copyOf(broker.endpoints().stream().map(RecordFields::of).toList()));
        row.put("bootEvidence", broker.bootEvidence());
        row.put("minLevel", broker.minLevel());
        row.put("maxLevel", broker.maxLevel());
        row.put("shutdownIndex", broker.shutdownIndex());
        return row;
    }

    static Map<String, Object> partition(ClusterStatus.Partition partition) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("topic", partition.topic());
        row.put("topicId", partition.state().id().topicId().toString());
        row.put("partition", partition.state().id().partition());
        RecordFields.state(row, partition.state());
        row.put("minIsr", partition.state().minIsr());
        return row;
    }
}
