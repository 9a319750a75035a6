package io.tidemark.broker.runtime;

import io.tidemark.broker.replica.Effect;

/** What a loop counts, for the metrics (R9.10, R9.13). */
public enum Counted {
    /** Records that clients wrote, and their bytes as stored. */
    MESSAGES_IN,
    BYTES_IN,
    /** Bytes of records sent to consumers. */
    BYTES_OUT,
    /** Bytes of records fetched from leaders, and sent to followers. */
    REPLICATION_BYTES_IN,
    REPLICATION_BYTES_OUT,
    /** The part of those for replicas that a reassignment adds. */
    REASSIGNMENT_BYTES_IN,
    REASSIGNMENT_BYTES_OUT,
    PRODUCE_REQUESTS,
    FETCH_REQUESTS,
    /** Partitions of those requests that were answered with an error. */
    FAILED_PRODUCES,
    FAILED_FETCHES,
    /** Appends that did not reach the mark in time. */
    PRODUCES_EXPIRED,
    /** Fetches that waited in vain. */
    CONSUMER_FETCHES_EXPIRED,
    FOLLOWER_FETCHES_EXPIRED,
    ISR_SHRINKS,
    ISR_EXPANDS,
    ISR_UPDATES_REFUSED;

    static Counted valueOf(Effect.Happening what) {
        return switch (what) {
            case ISR_SHRANK -> ISR_SHRINKS;
            case ISR_EXPANDED -> ISR_EXPANDS;
            case ISR_UPDATE_REFUSED -> ISR_UPDATES_REFUSED;
        };
    }
}
