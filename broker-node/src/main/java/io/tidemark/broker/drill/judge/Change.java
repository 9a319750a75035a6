package io.tidemark.broker.drill.judge;

import org.apache.kafka.common.TopicPartition;

/**
 * A change of one partition.
 *
 * @param timeMs wall clock
 * @param before null: the partition came to be
 * @param kind of the command that caused it, as the metadata log names it; "" where no log can be read
 * @param words the metadata log's sentence, or what was seen
 */
public record Change(
        long timeMs,
        TopicPartition partition,
        PartitionStateView before,
        PartitionStateView after,
        String kind,
        String words) {}
