package io.tidemark.broker.drill.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.drill.judge.Change;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is taken from the words of the metadata log's tool. */
class MetadataLogTest {
    private static final String STATE = "{\"leader\":%d,\"leaderEpoch\":%d,\"replicas\":[1,2],\"isr\":[%s],\"elr\":[]}";

    @TempDir
    Path directory;

    @Test
    void theStoryOfATopicBeginsAfterAnotherOfItsNameWasDeleted() throws IOException {
        String before = STATE.formatted(1, 0, "1,2");
        String after = STATE.formatted(2, 1, "2");
        List<Change> changes = changes(
                row(3, "null", before, "CreateTopics"),
                row(5, before, after, "FenceBrokers"),
                row(7, after, "null", "DeleteTopics"),
                row(9, "null", before, "CreateTopics"),
                row(11, "null", "null", "gap"),
                row(13, before, after, "AlterPartition"),
                "{\"now\":" + after + "}");
        assertThat(changes).extracting(Change::index).containsExactly(9L, 13L);
        assertThat(changes).extracting(Change::kind).containsExactly("CreateTopics", "AlterPartition");
        assertThat(changes.get(0).before()).isNull();
        assertThat(changes.get(1).before().isr()).containsExactly(1, 2);
        assertThat(changes.get(1).after().leader()).isEqualTo(2);
    }

    private static String row(long index, String before, String after, String kind) {
        return "{\"index\":%d,\"timestampMs\":%d,\"text\":\"t\",\"cause\":{\"kind\":\"%s\"},\"before\":%s,\"after\":%s}"
                .formatted(index, 1000 - index, kind, before, after);
    }

    private List<Change> changes(String... lines) throws IOException {
        Path told = Files.writeString(directory.resolve("told"), String.join("\n", lines) + "\n");
        DrillCluster cluster = new DrillCluster(
                false,
                true,
                List.of("echo"),
                List.of("sh", "-c", "cat '" + told + "'"),
                directory,
                List.of(),
                List.of(),
                Surroundings.NONE);
        return new MetadataLog(cluster).changes(new TopicPartition("t", 0));
    }
}
