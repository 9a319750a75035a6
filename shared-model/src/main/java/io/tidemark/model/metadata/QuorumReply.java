package io.tidemark.model.metadata;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import java.util.List;

/** What a command is answered, stored in its entry so that a retry at another controller gets the same. */
public sealed interface QuorumReply {
    /** Carried out; there is nothing to tell. */
    record Done() implements QuorumReply {}

    /** Refused as a whole; no record was written. */
    record Refused(ErrorCode error, String message) implements QuorumReply {}

    /** {@code brokerEpoch} -1 stands for the index of the entry. */
    record Registered(long brokerEpoch) implements QuorumReply {}

    /** One row per topic of a create, delete or grow request, in request order. */
    record Topics(List<Result> results) implements QuorumReply {
        /** {@code error} NONE means it was done; {@code partitions} and {@code replicationFactor} are -1 if unknown. */
        public record Result(
                String name, TopicId topicId, int partitions, int replicationFactor, ErrorCode error, String message) {}

        public Topics {
            results = List.copyOf(results);
        }
    }

    /** One row per row of the command, in its order. */
    record Rows(List<Row> rows) implements QuorumReply {
        /** {@code error} NONE means it was done. */
        public record Row(ErrorCode error, String message) {
            public static final Row DONE = new Row(ErrorCode.NONE, "");
        }

        public Rows {
            rows = List.copyOf(rows);
        }
    }

    /** One row per partition of an AlterPartition (R7.55). */
    record AlteredPartitions(List<Result> results) implements QuorumReply {
        /** The state after the change; defined only if {@code error} is NONE. */
        public record Result(
                PartitionId id,
                ErrorCode error,
                int leader,
                int leaderEpoch,
                List<Integer> isr,
                boolean recovering,
                int partitionEpoch) {}

        public AlteredPartitions {
            results = List.copyOf(results);
        }
    }

    /** The ids first .. first + count - 1 are the caller's. */
    record ProducerIds(long first, int count) implements QuorumReply {}

    /** A reply with the index of its entry: the metadata position at which its effect is visible. */
    record Answer(long index, QuorumReply reply) {
        /** The refusal, or NONE. */
        public ErrorCode error() {
            return reply instanceof Refused refused ? refused.error() : ErrorCode.NONE;
        }

        /** The broker epoch of a {@link Registered} reply with "this index" filled in. */
        public long brokerEpoch() {
            long epoch = ((Registered) reply).brokerEpoch();
            return epoch == MetadataRecord.BrokerRegistered.THIS_INDEX ? index : epoch;
        }
    }
}
