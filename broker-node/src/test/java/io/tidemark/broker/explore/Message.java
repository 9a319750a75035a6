package io.tidemark.broker.explore;

import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.model.metadata.QuorumCommand.AlterPartition;

/** What is on its way, for any time and in any order. */
sealed interface Message {
    /**
     * A change of the ISR, to the controllers.
     *
     * @param proposal number of the proposal at its sender; -1 if no answer to it will be heard: it was given up, or the
     *     sender has gone
     */
    record Request(int sender, long proposal, AlterPartition command) implements Message {
        boolean heard() {
            return proposal >= 0;
        }

        Request unheard() {
            return heard() ? new Request(sender, -1, command) : this;
        }
    }

    /** The controllers' answer to the incarnation that asked. */
    record Answer(int to, ReplicaEvent.AlterAnswered event) implements Message {}

    /** A fetch that was held up, to the incarnation of the leader that it was sent to. */
    record LateFetch(int to, long toEpoch, Input.Serve fetch) implements Message {}
}
