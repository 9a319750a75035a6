package io.tidemark.broker.drill.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.drill.ReadRecord;
import io.tidemark.broker.drill.judge.Promises.Ledger;
import io.tidemark.broker.drill.judge.Promises.Reader;
import io.tidemark.broker.drill.plan.Measure;
import io.tidemark.broker.drill.plan.WorkloadPlan.ProducerPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class ReckoningTest {
    private static final long SECOND = Promises.NUMBERS_PER_PRODUCER;
    private static final ProducerPlan STEADY = new ProducerPlan("steady", "all", true, 1, Long.MAX_VALUE);
    private static final ProducerPlan PLAIN = new ProducerPlan("plain", "all", false, 1, Long.MAX_VALUE);
    private static final ProducerPlan HASTY = new ProducerPlan("hasty", "1", false, 1, Long.MAX_VALUE);

    @Test
    void promisesKeptCountNothing() {
        Reckoning reckoning = reckon(
                List.of(ledger(0, STEADY, Map.of(0L, 0L, 1L, 2L)), ledger(1, HASTY, Map.of(SECOND, 1L))),
                records(0, 0, 1, SECOND, 2, 1),
                records(0, 0, 1, SECOND, 2, 1));
        assertThat(reckoning.counts().values()).containsOnly(0L);
        assertThat(reckoning.acked()).isEqualTo(2);
        assertThat(reckoning.ackedOne()).isEqualTo(1);
        assertThat(reckoning.examples()).isEmpty();
    }

    @Test
    void aMissingRecordIsLostOrAllowedByWhatItsAckPromised() {
        Reckoning reckoning = reckon(
                List.of(
                        ledger(0, STEADY, Map.of(0L, 0L, 1L, 1L)),
                        ledger(1, HASTY, Map.of(SECOND, 1L, SECOND + 1, 2L))),
                records(0, 0),
                records(0, 0));
        assertThat(reckoning.counts()).containsEntry(Measure.LOST, 1L).containsEntry(Measure.ACKS_ONE_LOST, 2L);
        assertThat(reckoning.examples().get(Measure.LOST))
                .containsExactly("t-0: record 1 of steady, acked at offset 1, is nowhere");
    }

    @Test
    void aRecordElsewhereThanAckedIsCountedByItself() {
        Reckoning reckoning =
                reckon(List.of(ledger(0, STEADY, Map.of(0L, 0L, 1L, 7L))), records(0, 0, 1, 1), records(0, 0, 1, 1));
        assertThat(reckoning.counts()).containsEntry(Measure.LOST, 0L).containsEntry(Measure.WRONG_OFFSET, 1L);
        assertThat(reckoning.examples().get(Measure.WRONG_OFFSET).get(0)).contains("acked at offset 7, is at [1]");
    }

    @Test
    void repeatsBreakOnlyWhatAnIdempotentProducerIsPromised() {
        List<ReadRecord> twice = records(0, 0, 1, 0, 2, SECOND, 3, SECOND);
        Reckoning reckoning =
                reckon(List.of(ledger(0, STEADY, Map.of(0L, 0L)), ledger(1, PLAIN, Map.of(SECOND, 2L))), twice, twice);
        assertThat(reckoning.counts()).containsEntry(Measure.DUPLICATED, 1L).containsEntry(Measure.REPEATED, 1L);
    }

    @Test
    void disorderIsSeen() {
        List<ReadRecord> swapped = records(0, 1, 1, 0);
        Reckoning reckoning = reckon(List.of(ledger(0, STEADY, Map.of(0L, 1L, 1L, 0L))), swapped, swapped);
        assertThat(reckoning.counts()).containsEntry(Measure.REORDERED, 1L);
    }

    @Test
    void whatWasReadAndIsGoneHasVanishedAndWhatWasNeverGivenIsUnseen() {
        Reckoning reckoning = reckon(
                List.of(ledger(0, STEADY, Map.of(0L, 0L))), records(0, 0, 1, 5, 2, 6), records(0, 0, 1, 4, 3, 9, 3, 9));
        assertThat(reckoning.counts()).containsEntry(Measure.VANISHED, 2L).containsEntry(Measure.UNSEEN, 2L);
        assertThat(reckoning.examples().get(Measure.VANISHED))
                .anySatisfy(words -> assertThat(words).contains("offset 1, where now record 5 is"))
                .anySatisfy(words -> assertThat(words).contains("offset 3, where now nothing is"));
    }

    private static Reckoning reckon(List<Ledger> ledgers, List<ReadRecord> records, List<ReadRecord> reads) {
        Reckoning reckoning = new Reckoning();
        reckoning.add(new Promises(new TopicPartition("t", 0), ledgers, List.of(new Reader("reader", reads)), records));
        return reckoning;
    }

    private static Ledger ledger(int index, ProducerPlan producer, Map<Long, Long> acks) {
        return new Ledger(index, producer, acks, new TreeMap<>(), 0);
    }

    /** Pairs of offset and number. */
    private static List<ReadRecord> records(long... pairs) {
        List<ReadRecord> records = new ArrayList<>();
        for (int i = 0; i < pairs.length; i += 2) {
            records.add(new ReadRecord(pairs[i], pairs[i + 1]));
        }
        return records;
    }
}
