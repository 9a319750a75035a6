package io.tidemark.broker.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The keys of groups reach the coordinator, and the shipped file tells their defaults. */
class GroupSettingsTest {
    private static final Pattern SHOWN = Pattern.compile("^#((?:group|offsets?)\\.[a-z.]+)=(.*)$");

    @Test
    void theShippedFileShowsTheCoordinatorsDefaults() throws IOException {
        int shown = 0;
        for (String line : Files.readAllLines(Path.of("..", "config", "broker.properties"))) {
            Matcher matcher = SHOWN.matcher(line);
            if (matcher.matches()) {
                shown++;
                assertThat(GroupSettings.defaultOf(matcher.group(1)))
                        .as(matcher.group(1))
                        .isEqualTo(matcher.group(2));
            }
        }
        assertThat(shown).isGreaterThan(25);
    }

    @Test
    void whatIsGivenCounts() {
        GroupSettings settings = new GroupSettings(Map.of("group.max.size", "7", "offsets.topic.num.partitions", "3"));
        assertThat(settings.coordinator().classicGroupMaxSize()).isEqualTo(7);
        assertThat(settings.coordinator().offsetsTopicPartitions()).isEqualTo(3);
        assertThat(settings.coordinator().offsetsTopicReplicationFactor()).isEqualTo((short) 3);
    }

    @Test
    void theConsumerProtocolCanBeSwitchedOff() {
        assertThat(new GroupSettings(Map.of()).consumerProtocol()).isTrue();
        assertThat(new GroupSettings(Map.of("group.coordinator.rebalance.protocols", "classic")).consumerProtocol())
                .isFalse();
    }

    @Test
    void whatKafkaRefusesIsRefused() {
        assertThatThrownBy(() -> new GroupSettings(Map.of("offsets.topic.num.partitions", "0")))
                .hasMessageContaining("offsets.topic.num.partitions");
        assertThatThrownBy(() -> new GroupSettings(Map.of("group.consumer.heartbeat.interval.ms", "4000")))
                .hasMessageContaining("group.consumer.heartbeat.interval.ms");
        assertThatThrownBy(() -> new GroupSettings(Map.of("group.coordinator.rebalance.protocols", "consumer")))
                .hasMessageContaining("group.coordinator.rebalance.protocols");
    }
}
