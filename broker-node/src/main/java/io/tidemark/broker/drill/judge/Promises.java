package io.tidemark.broker.drill.judge;

import io.tidemark.broker.drill.ReadRecord;
import io.tidemark.broker.drill.plan.WorkloadPlan.ProducerPlan;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.apache.kafka.common.TopicPartition;

/** What one partition's clients were promised and what is in it in the end. */
public record Promises(TopicPartition partition, List<Ledger> ledgers, List<Reader> readers, List<ReadRecord> records) {
    /** Records of the producer with index i have the numbers from i times this on. */
    public static final long NUMBERS_PER_PRODUCER = 1_000_000_000L;

    public Promises {
        ledgers = List.copyOf(ledgers);
        readers = List.copyOf(readers);
        records = List.copyOf(records);
    }

    /**
     * One producer's.
     *
     * @param acks offset by number
     * @param ackMs wall clock by number
     */
    public record Ledger(
            int index, ProducerPlan producer, Map<Long, Long> acks, SortedMap<Long, Long> ackMs, long givenUp) {}

    /**
     * One consumer's or group's: what it was given, in any order, repeats included.
     *
     * @param name of the consumer or group
     */
    public record Reader(String name, List<ReadRecord> reads) {
        public Reader {
            reads = List.copyOf(reads);
        }
    }
}
