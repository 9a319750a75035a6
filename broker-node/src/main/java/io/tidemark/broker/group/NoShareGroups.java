package io.tidemark.broker.group;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.server.util.PartitionMetadataClient;

/** Only share groups ask for the ends of partitions, and there are none. */
final class NoShareGroups implements PartitionMetadataClient {
    @Override
    public Map<TopicPartition, CompletableFuture<OffsetResponse>> listLatestOffsets(Set<TopicPartition> partitions) {
        Map<TopicPartition, CompletableFuture<OffsetResponse>> answers = new HashMap<>();
        partitions.forEach(partition -> answers.put(
                partition,
                CompletableFuture.failedFuture(new UnsupportedVersionException("share groups are not supported"))));
        return answers;
    }

    @Override
    public void close() {}
}
