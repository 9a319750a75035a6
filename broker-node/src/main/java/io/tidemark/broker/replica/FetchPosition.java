package io.tidemark.broker.replica;

/**
 * What a follower asks its leader next. The offset is the acknowledgement: everything below it is written here (B22).
 *
 * @param lastFetchedEpoch epoch of the record before {@code offset}, -1 for an empty log
 */
public record FetchPosition(int leader, int leaderEpoch, long offset, int lastFetchedEpoch, long logStart) {}
