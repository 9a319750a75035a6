package io.tidemark.broker.drill;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** A reading ends where the log does, which not every broker knows. */
class ReadBackTest {
    private static final TopicPartition PARTITION = new TopicPartition("t", 0);

    private final MockConsumer<String, String> consumer = new MockConsumer<>("earliest");

    private void logEndsAt(long end) {
        consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
        consumer.updateEndOffsets(Map.of(PARTITION, end));
    }

    private void deliver(long offset) {
        consumer.addRecord(new ConsumerRecord<>("t", 0, offset, String.valueOf(100 + offset), "v"));
    }

    private List<ReadRecord> read(long told, Duration patience) {
        return ReadBack.all(consumer, PARTITION, told, patience);
    }

    @Test
    void anEndBeforeWhatWasToldIsAskedForAgain() {
        logEndsAt(1);
        consumer.schedulePollTask(() -> deliver(0));
        consumer.schedulePollTask(() -> {
            // The broker that was asked has heard of the leader.
            logEndsAt(3);
            deliver(1);
        });
        consumer.schedulePollTask(() -> deliver(2));
        assertThat(read(2, Duration.ofMinutes(1))).containsExactly(new ReadRecord(0, 100), new ReadRecord(1, 101));
    }

    @Test
    void theEndThatIsToldIsReachedBeyondWhatWasTold() {
        logEndsAt(2);
        consumer.schedulePollTask(() -> deliver(0));
        consumer.schedulePollTask(() -> deliver(1));
        assertThat(read(0, Duration.ofMinutes(1))).hasSize(2);
    }

    @Test
    void aLogThatHasLostItsEndIsReadAsItIs() {
        logEndsAt(1);
        consumer.schedulePollTask(() -> deliver(0));
        assertThat(read(5, Duration.ofMillis(1))).containsExactly(new ReadRecord(0, 100));
    }
}
