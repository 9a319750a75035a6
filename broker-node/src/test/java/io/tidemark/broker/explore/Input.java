package io.tidemark.broker.explore;

import io.tidemark.broker.replica.FetchPosition;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.model.EpochAndOffset;
import java.util.List;

/** What can happen to one broker. */
sealed interface Input {
    /** A process over that log, registered under that epoch; the first of every broker. */
    record Start(int id, long epoch, RecordLog log, long mark) implements Input {}

    /** Its feed reaches that image. */
    record Learn(int image) implements Input {}

    /**
     * A follower's fetch arrives.
     *
     * @param epoch broker epoch of the follower that sent it
     * @param late in a session of its own, after others
     */
    record Serve(int follower, long epoch, FetchPosition position, boolean late) implements Input {}

    /** The answer to the fetch at hand, with the epochs of the records in it. */
    record Receive(
            int leaderEpoch,
            long offset,
            ReplicaError error,
            EpochAndOffset diverging,
            long mark,
            List<Integer> records)
            implements Input {
        public Receive {
            records = List.copyOf(records);
        }
    }

    /** One record with acks=1. */
    record Append() implements Input {}

    /** A deadline may have passed. */
    record Tick() implements Input {}

    /** No follower was heard for longer than the lag limit. */
    record Lapse() implements Input {}

    /** The controllers' answer to a proposal, or that there is none. */
    record Answered(ReplicaEvent event) implements Input {}
}
