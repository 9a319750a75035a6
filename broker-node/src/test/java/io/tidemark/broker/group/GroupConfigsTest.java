package io.tidemark.broker.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.QuorumReply;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A group's own configuration reaches the coordinator, and goes again. */
class GroupConfigsTest {
    private static final String KEY = "consumer.session.timeout.ms";

    private final GroupConfigs configs = new GroupConfigs(new GroupSettings(Map.of()));
    private ClusterImage image = ClusterImage.EMPTY;

    private void set(String key, String value) {
        MetadataRecord record =
                new MetadataRecord.ConfigSet(new ConfigResource(ConfigResource.Type.GROUP, "g"), key, value);
        MetadataEntry.Cause cause = new MetadataEntry.Cause("test", -1, -1, "", "");
        image = image.apply(
                image.index() + 1, new MetadataEntry(image.tip(), 1, cause, List.of(record), new QuorumReply.Done()));
        configs.follow(image);
    }

    private int sessionTimeoutMs() {
        return configs.manager().groupConfig("g").orElseThrow().consumerSessionTimeoutMs;
    }

    @Test
    void theCoordinatorHearsOfEveryChange() {
        assertThat(configs.manager().groupConfig("g")).isEmpty();
        set(KEY, "50000");
        assertThat(sessionTimeoutMs()).isEqualTo(50_000);
        set("consumer.heartbeat.interval.ms", "6000");
        assertThat(sessionTimeoutMs()).isEqualTo(50_000);
        set(KEY, null);
        assertThat(sessionTimeoutMs()).as("the broker's again").isEqualTo(45_000);
        set("consumer.heartbeat.interval.ms", null);
        assertThat(configs.manager().groupConfig("g")).isEmpty();
    }

    @Test
    void theTimeoutsOfAGroupLimitEachOther() {
        assertThat(configs.problem(Map.of(KEY, "50000"))).isEmpty();
        assertThat(configs.problem(Map.of(KEY, "1"))).isPresent();
        assertThat(configs.problem(Map.of("consumer.heartbeat.interval.ms", "50000")))
                .isPresent();
        assertThat(configs.problem(Map.of("no.such.key", "1"))).isPresent();
    }
}
