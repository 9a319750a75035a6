package io.tidemark.broker.drill.plan;

import java.util.List;

/** Who writes and reads while faults happen; all of them on all partitions of the drill's topics. */
public record WorkloadPlan(List<ProducerPlan> producers, List<ConsumerPlan> consumers) {
    public WorkloadPlan {
        producers = List.copyOf(producers);
        consumers = List.copyOf(consumers);
    }

    /**
     * A producer, which for each partition has a client of its own.
     *
     * @param acks "all" or "1"
     * @param perSecond records a second and partition
     * @param count ends after so many records a partition
     */
    public record ProducerPlan(String name, String acks, boolean idempotent, int perSecond, long count) {
        /** Whether an ack promises that the record stays. */
        public boolean promises() {
            return acks.equals("all");
        }
    }

    /** @param members of a group that shares the partitions; 0: one consumer that is assigned all of them */
    public record ConsumerPlan(String name, int members) {}
}
