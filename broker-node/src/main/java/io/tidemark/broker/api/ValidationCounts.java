package io.tidemark.broker.api;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.ObjLongConsumer;
import org.apache.kafka.storage.internals.log.LogValidator;

/** Why records of clients were refused, counted under Kafka's names over the whole process (R9.13). Any thread. */
public final class ValidationCounts implements LogValidator.MetricsRecorder {
    static final ValidationCounts OF_PROCESS = new ValidationCounts();

    private final LongAdder magic = new LongAdder();
    private final LongAdder checksums = new LongAdder();
    private final LongAdder offsetsOrSequences = new LongAdder();
    private final LongAdder keyless = new LongAdder();

    private ValidationCounts() {}

    /** The name of each metric with its count. */
    public static void forEach(ObjLongConsumer<String> each) {
        each.accept("InvalidMagicNumberRecordsPerSec", OF_PROCESS.magic.sum());
        each.accept("InvalidMessageCrcRecordsPerSec", OF_PROCESS.checksums.sum());
        each.accept("InvalidOffsetOrSequenceRecordsPerSec", OF_PROCESS.offsetsOrSequences.sum());
        each.accept("NoKeyCompactedTopicRecordsPerSec", OF_PROCESS.keyless.sum());
    }

    @Override
    public void recordInvalidMagic() {
        magic.increment();
    }

    @Override
    public void recordInvalidOffset() {
        offsetsOrSequences.increment();
    }

    @Override
    public void recordInvalidSequence() {
        offsetsOrSequences.increment();
    }

    @Override
    public void recordInvalidChecksums() {
        checksums.increment();
    }

    @Override
    public void recordNoKeyCompactedTopic() {
        keyless.increment();
    }
}
