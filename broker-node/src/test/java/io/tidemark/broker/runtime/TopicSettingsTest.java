package io.tidemark.broker.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.log.LogSettings;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.QuorumReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A topic's own configuration goes over the broker's, key by key. */
class TopicSettingsTest {
    private static final TopicSettings BROKER = new TopicSettings(
            LogSettings.DEFAULTS.withSegment(1 << 20, 1000).withRetention(7000, 700), "lz4", true, 11, 12, "compact");

    @Test
    void whatATopicDoesNotSayIsTheBrokersToSay() {
        TopicSettings settings = of(Map.of());
        assertThat(settings.logAppendTime()).isTrue();
        assertThat(settings.compression()).isEqualTo("lz4");
        assertThat(settings.timestampBeforeMaxMs()).isEqualTo(11);
        assertThat(settings.timestampAfterMaxMs()).isEqualTo(12);
        assertThat(settings.compacted()).isTrue();
        assertThat(settings.log().retentionMs()).as("compacted only").isEqualTo(-1);
        assertThat(settings.log().segmentBytes()).isEqualTo(1 << 20);
    }

    @Test
    void whatATopicSaysCounts() {
        TopicSettings settings = of(Map.of(
                "cleanup.policy", "delete",
                "message.timestamp.type", "CreateTime",
                "compression.type", "producer",
                "message.timestamp.after.max.ms", "5",
                "segment.bytes", "2000000"));
        assertThat(settings.logAppendTime()).isFalse();
        assertThat(settings.compression()).isEqualTo("producer");
        assertThat(settings.timestampAfterMaxMs()).isEqualTo(5);
        assertThat(settings.compacted()).isFalse();
        assertThat(settings.log().retentionMs()).as("the broker's").isEqualTo(7000);
        assertThat(settings.log().segmentBytes()).isEqualTo(2_000_000);
    }

    @Test
    void theKeyForTestsMakesSegmentsSmallerThanKafkasLimit() {
        assertThat(of(Map.of("segment.bytes", "2000000", "internal.segment.bytes", "100"))
                        .log()
                        .segmentBytes())
                .isEqualTo(100);
    }

    @Test
    void silentProducersAreKeptAsLongAsTheBrokerOrTheClusterSays() {
        String key = "producer.id.expiration.ms";
        MetadataRecord own = new MetadataRecord.ConfigSet(ConfigResource.broker(1), key, "5");
        MetadataRecord others = new MetadataRecord.ConfigSet(ConfigResource.broker(2), key, "6");
        MetadataRecord clusters = new MetadataRecord.ConfigSet(ConfigResource.CLUSTER_DEFAULT, key, "7");
        assertThat(of(Map.of()).log().producerIdExpirationMs())
                .isEqualTo(BROKER.log().producerIdExpirationMs());
        assertThat(of(Map.of(), clusters, others).log().producerIdExpirationMs())
                .isEqualTo(7);
        assertThat(of(Map.of(), clusters, own).log().producerIdExpirationMs()).isEqualTo(5);
    }

    @Test
    void theBrokersDynamicValuesGoOverTheClustersOverItsFile() {
        MetadataRecord own = new MetadataRecord.ConfigSet(ConfigResource.broker(1), "message.max.bytes", "5000");
        MetadataRecord others = new MetadataRecord.ConfigSet(ConfigResource.broker(2), "message.max.bytes", "6000");
        MetadataRecord cluster =
                new MetadataRecord.ConfigSet(ConfigResource.CLUSTER_DEFAULT, "message.max.bytes", "7000");
        assertThat(of(Map.of(), cluster).log().maxMessageBytes()).isEqualTo(7000);
        assertThat(of(Map.of(), cluster, own, others).log().maxMessageBytes()).isEqualTo(5000);
        assertThat(of(Map.of("max.message.bytes", "4000"), cluster, own).log().maxMessageBytes())
                .isEqualTo(4000);
    }

    private static TopicSettings of(Map<String, String> configs, MetadataRecord... more) {
        List<MetadataRecord> records = new ArrayList<>(List.of(more));
        records.add(new MetadataRecord.TopicCreated("t", new TopicId(1, 1)));
        configs.forEach(
                (key, value) -> records.add(new MetadataRecord.ConfigSet(ConfigResource.topic("t"), key, value)));
        MetadataEntry.Cause cause = new MetadataEntry.Cause("test", -1, -1, "", "");
        ClusterImage image = ClusterImage.EMPTY.apply(
                0, new MetadataEntry(ClusterImage.EMPTY.tip(), 1, cause, records, new QuorumReply.Done()));
        return TopicSettings.of(image, "t", 1, BROKER, (key, value) -> {
            throw new AssertionError(key + " = " + value);
        });
    }
}
