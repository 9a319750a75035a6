package io.tidemark.broker.drill.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.judge.Change;
import io.tidemark.broker.drill.judge.PartitionStateView;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;

/** What the metadata log's own tool tells: each change of a partition with its cause, and whether the logs agree. */
final class MetadataLog {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final DrillCluster cluster;

    MetadataLog(DrillCluster cluster) {
        this.cluster = cluster;
    }

    /** The story of a partition from its creation on. */
    List<Change> changes(TopicPartition partition) {
        Tool.Ended ended =
                cluster.metadataLog("why", "--json", partition.topic(), Integer.toString(partition.partition()));
        if (ended.status() != 0) {
            throw new DrillException("the metadata log does not tell the story of " + partition + ": "
                    + (ended.err() + ended.out()).strip());
        }
        List<Change> changes = new ArrayList<>();
        for (String line : ended.out().lines().toList()) {
            JsonNode row = json(line);
            JsonNode after = row.path("after");
            if (after.isObject()) {
                changes.add(new Change(
                        row.path("index").asLong(-1),
                        row.path("timestampMs").asLong(),
                        partition,
                        row.path("before").isObject() ? state(row.path("before")) : null,
                        state(after),
                        row.path("cause").path("kind").asText(""),
                        row.path("text").asText()));
            } else if (row.path("before").isObject()) {
                // Deleted: what it was before is the story of another topic of the same name.
                changes.clear();
            }
        }
        return changes;
    }

    /** What is wrong with the logs of the controllers, read from their directories; empty if nothing is. */
    List<String> damages() {
        List<String> words = new ArrayList<>();
        cluster.controllers()
                .forEach(node ->
                        words.addAll(List.of("--dir", cluster.directory(node).toString())));
        words.addAll(List.of("verify", "--json"));
        Tool.Ended ended = cluster.metadataLog(words.toArray(String[]::new));
        List<String> damages = new ArrayList<>();
        boolean sound = false;
        for (String line : ended.out().lines().toList()) {
            JsonNode row = json(line);
            sound |= row.path("sound").asBoolean(false);
            if (row.path("finding").asText().equals("DAMAGE")) {
                damages.add(row.path("what").asText());
            }
        }
        if (damages.isEmpty() && (!sound || ended.status() != 0)) {
            damages.add(ended.err().strip());
        }
        return damages;
    }

    private static PartitionStateView state(JsonNode state) {
        return new PartitionStateView(
                state.path("leader").asInt(-1),
                state.path("leaderEpoch").asInt(-1),
                ids(state.path("replicas")),
                ids(state.path("isr")),
                ids(state.path("elr")));
    }

    private static List<Integer> ids(JsonNode array) {
        List<Integer> ids = new ArrayList<>();
        array.forEach(id -> ids.add(id.asInt()));
        return ids;
    }

    private static JsonNode json(String line) {
        try {
            return JSON.readTree(line);
        } catch (JsonProcessingException e) {
            throw new DrillException("the metadata log's tool says: " + line, e);
        }
    }
}
