package io.tidemark.broker.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.OptionalLong;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** R5.30 to R5.35. */
class ProducerStatesTest {
    private static final long ID = 17;

    private final ProducerStates states = new ProducerStates();
    private long end;

    private void write(int epoch, int firstSequence, int count) {
        ByteBuffer batch = Batches.idempotent(end, 0, count, ID, (short) epoch, firstSequence);
        states.append(BatchHeader.read(batch, 0));
        end += count;
    }

    /** Known: epoch 3 with the batches 0-9, 10-19 .. 60-69, of which the last five are remembered. */
    @ParameterizedTest
    @CsvSource({
        // epoch, first, last, verdict
        "3, 70, 79, Accept[producerKnown=true]",
        "3, 60, 69, 'Duplicate[firstOffset=60, lastOffset=69, timestamp=69]'",
        "3, 20, 29, 'Duplicate[firstOffset=20, lastOffset=29, timestamp=29]'",
        "3, 10, 19, 'OutOfOrderSequence[expected=70, actual=10]'",
        "3, 60, 68, 'OutOfOrderSequence[expected=70, actual=60]'",
        "3, 71, 79, 'OutOfOrderSequence[expected=70, actual=71]'",
        "3,  0,  9, 'OutOfOrderSequence[expected=70, actual=0]'",
        "2, 70, 79, 'InvalidEpoch[current=3, actual=2]'",
        "2,  0,  9, 'InvalidEpoch[current=3, actual=2]'",
        "2, 60, 69, 'InvalidEpoch[current=3, actual=2]'",
        "4,  0,  9, Accept[producerKnown=true]",
        "9,  0,  0, Accept[producerKnown=true]",
        "4, 70, 79, 'OutOfOrderSequence[expected=0, actual=70]'",
    })
    void verdictOnABatch(short epoch, int first, int last, String verdict) {
        for (int i = 0; i < 7; i++) {
            write(3, 10 * i, 10);
        }
        assertThat(states.check(ID, epoch, first, last)).hasToString(verdict);
    }

    @Test
    void anUnknownProducerMayStartAnywhere() {
        assertThat(states.check(ID, (short) 5, 1234, 1240)).isEqualTo(new ProducerVerdict.Accept(false));
    }

    @Test
    void sequencesWrapBehindTheLargestInteger() {
        write(0, Integer.MAX_VALUE - 1, 2);
        assertThat(states.check(ID, (short) 0, 0, 4)).isEqualTo(new ProducerVerdict.Accept(true));
        assertThat(states.check(ID, (short) 0, 1, 4)).isEqualTo(new ProducerVerdict.OutOfOrderSequence(0, 1));
        write(0, 0, 5);
        write(0, Integer.MAX_VALUE - 2, 10);
        assertThat(states.check(ID, (short) 0, 7, 7)).isEqualTo(new ProducerVerdict.Accept(true));
        assertThat(states.check(ID, (short) 0, Integer.MAX_VALUE - 2, 6)).isInstanceOf(ProducerVerdict.Duplicate.class);
    }

    @Test
    void aNewEpochForgetsTheBatchesOfTheOldOne() {
        write(0, 0, 10);
        write(1, 0, 10);
        assertThat(states.check(ID, (short) 1, 0, 9)).isEqualTo(new ProducerVerdict.Duplicate(10, 19, 19));
        assertThat(states.check(ID, (short) 1, 10, 19)).isEqualTo(new ProducerVerdict.Accept(true));
    }

    @Test
    void aReplicatedBatchIsTakenWhateverItsSequence() {
        write(4, 0, 10);
        write(4, 500, 10);
        assertThat(states.check(ID, (short) 4, 510, 519)).isEqualTo(new ProducerVerdict.Accept(true));
        write(2, 7, 1);
        assertThat(states.check(ID, (short) 2, 8, 8)).isEqualTo(new ProducerVerdict.Accept(true));
    }

    @Test
    void batchesWithoutProducerIdLeaveNoTrace() {
        states.append(BatchHeader.read(Batches.batch(0, 0, 3, 0), 0));
        assertThat(states.size()).isZero();
    }

    @Test
    void aTransactionIsOpenFromItsFirstBatchToItsMarker() {
        write(0, 0, 10);
        assertThat(states.oldestOpenTransaction()).isEmpty();
        for (long base : new long[] {10, 11}) {
            states.append(BatchHeader.read(
                    MemoryRecords.withTransactionalRecords(
                                    base,
                                    Compression.NONE,
                                    ID,
                                    (short) 0,
                                    (int) base,
                                    0,
                                    new SimpleRecord(0, new byte[1]))
                            .buffer(),
                    0));
        }
        assertThat(states.oldestOpenTransaction()).isEqualTo(OptionalLong.of(10));
        states.expire(Long.MAX_VALUE / 2, 1);
        assertThat(states.size()).as("an open transaction keeps its producer").isEqualTo(1);

        states.append(BatchHeader.read(
                MemoryRecords.withEndTransactionMarker(
                                12, 0, 0, ID, (short) 1, new EndTransactionMarker(ControlRecordType.COMMIT, 0))
                        .buffer(),
                0));
        assertThat(states.oldestOpenTransaction()).isEmpty();
        assertThat(states.check(ID, (short) 1, 0, 0))
                .as("the marker's epoch starts anew")
                .isEqualTo(new ProducerVerdict.Accept(true));
        assertThat(states.check(ID, (short) 1, 12, 12)).isEqualTo(new ProducerVerdict.OutOfOrderSequence(0, 12));
    }

    @Test
    void silentProducersAreForgotten() {
        write(0, 0, 10); // newest timestamp 9
        states.expire(108, 100);
        assertThat(states.size()).isEqualTo(1);
        states.expire(109, 100);
        assertThat(states.size()).isZero();
    }

    @Test
    void snapshotsRoundTripAndDamagedOnesAreRefused() {
        assertThat(ProducerStates.fromBytes(new ProducerStates().toBytes())).contains(new ProducerStates());
        for (int i = 0; i < 7; i++) {
            write(i / 4, 10 * (i % 4), 10);
        }
        byte[] bytes = states.toBytes();
        assertThat(ProducerStates.fromBytes(bytes)).contains(states);
        for (int length = 0; length < bytes.length; length++) {
            assertThat(ProducerStates.fromBytes(Arrays.copyOf(bytes, length))).isEmpty();
        }
        assertThat(ProducerStates.fromBytes(Arrays.copyOf(bytes, bytes.length + 1)))
                .isEmpty();
        bytes[0] = 9;
        assertThat(ProducerStates.fromBytes(bytes)).isEmpty();
    }

    @Test
    void aCopyDoesNotFollow() {
        write(0, 0, 10);
        ProducerStates copy = states.copy();
        write(0, 10, 10);
        assertThat(copy.check(ID, (short) 0, 10, 19)).isEqualTo(new ProducerVerdict.Accept(true));
        assertThat(copy).isNotEqualTo(states);
    }
}
