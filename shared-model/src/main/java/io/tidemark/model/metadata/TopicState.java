package io.tidemark.model.metadata;

import io.tidemark.model.Check;
import io.tidemark.model.TopicId;
import org.organicdesign.fp.collections.ImList;
import org.organicdesign.fp.collections.PersistentVector;

/** One topic with its partitions 0..n-1. Immutable. */
public record TopicState(String name, TopicId id, ImList<PartitionState> partitions) {

    static TopicState created(String name, TopicId id) {
        return new TopicState(name, id, PersistentVector.empty());
    }

    /** The partition of that number, or null. */
    public PartitionState partition(int number) {
        return number >= 0 && number < partitions.size() ? partitions.get(number) : null;
    }

    TopicState with(PartitionState state) {
        int number = state.id().partition();
        Check.that(
                number <= partitions.size(),
                "partitions of %s come in order: %d after %d",
                name,
                number,
                partitions.size());
        return new TopicState(
                name, id, number == partitions.size() ? partitions.append(state) : partitions.replace(number, state));
    }
}
