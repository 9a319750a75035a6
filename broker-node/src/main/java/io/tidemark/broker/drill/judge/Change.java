package io.tidemark.broker.drill.judge;

import org.apache.kafka.common.TopicPartition;

/**
 * A change of one partition.
 *
 * @param index of the metadata log's entry; -1 where no log can be read
 * @param timeMs wall clock: of the controller that wrote the entry, where there is one
 * @param before null: the partition came to be
 * @param kind of the command that caused it, as the metadata log names it; "" where no log can be read
 * @param words the metadata log's sentence, or what was seen
 */
public record Change(
        long index,
        long timeMs,
        TopicPartition partition,
        PartitionStateView before,
        PartitionStateView after,
        String kind,
        String words) {}
