package io.tidemark.broker.drill;

/**
 * One record as read back from the partition.
 *
 * @param number the number its producer gave it
 */
public record ReadRecord(long offset, long number) {}
