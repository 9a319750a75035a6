package io.tidemark.broker.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.EpochAndOffset;
import io.tidemark.model.EpochHistory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.server.util.Scheduler;
import org.apache.kafka.storage.internals.checkpoint.LeaderEpochCheckpointFile;
import org.apache.kafka.storage.internals.epoch.LeaderEpochFileCache;
import org.apache.kafka.storage.internals.log.EpochEntry;

/**
 * The epoch history beside Kafka's LeaderEpochFileCache (R6.20 to R6.22): the same random changes to both, and after each
 * the same entries and the same answers. Nothing is excepted.
 */
class EpochHistoryOracleTest {
    private static final int MAX_EPOCH = 12;
    private static final int MAX_OFFSET = 40;

    private static final String FILE = "leader-epoch-checkpoint";

    private static Path folder;

    @BeforeContainer
    static void makeFolder() throws IOException {
        folder = Files.createTempDirectory("epochs");
    }

    @AfterContainer
    static void removeFolder() throws IOException {
        Files.deleteIfExists(folder.resolve(FILE));
        Files.deleteIfExists(folder);
    }

    /** One change of both. */
    private record Change(Kind kind, int epoch, long offset) {
        enum Kind {
            ASSIGN,
            CUT_END,
            CUT_START
        }

        EpochHistory of(EpochHistory history) {
            return switch (kind) {
                case ASSIGN -> history.assign(epoch, offset);
                case CUT_END -> history.truncateFromEnd(offset);
                case CUT_START -> history.truncateFromStart(offset);
            };
        }

        void to(LeaderEpochFileCache cache) {
            switch (kind) {
                case ASSIGN -> cache.assign(epoch, offset);
                case CUT_END -> cache.truncateFromEndAsyncFlush(offset);
                case CUT_START -> cache.truncateFromStartAsyncFlush(offset);
            }
        }
    }

    @Provide
    Arbitrary<List<Change>> changes() {
        return Combinators.combine(
                        // Mostly new epochs; cuts in between.
                        Arbitraries.frequency(
                                Tuple.of(6, Change.Kind.ASSIGN),
                                Tuple.of(1, Change.Kind.CUT_END),
                                Tuple.of(1, Change.Kind.CUT_START)),
                        Arbitraries.integers().between(0, MAX_EPOCH),
                        Arbitraries.longs().between(0, MAX_OFFSET))
                .as(Change::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(25);
    }

    @Property(tries = 2000)
    void bothSayTheSame(@ForAll("changes") List<Change> changes) throws IOException {
        LeaderEpochFileCache kafka = new LeaderEpochFileCache(new TopicPartition("t", 0), new Unwritten(), new Never());
        EpochHistory ours = EpochHistory.EMPTY;
        for (Change change : changes) {
            change.to(kafka);
            ours = change.of(ours);
            assertThat(ours.entries())
                    .as("after %s of %s", change, changes)
                    .isEqualTo(kafka.epochEntries().stream()
                            .map(entry -> new EpochAndOffset(entry.epoch(), entry.startOffset()))
                            .toList());
            long end = MAX_OFFSET + 1;
            for (int epoch = -1; epoch <= MAX_EPOCH + 1; epoch++) {
                Map.Entry<Integer, Long> answer = kafka.endOffsetFor(epoch, end);
                assertThat(ours.endOffsetFor(epoch, end))
                        .as("the end of epoch %s in %s", epoch, ours)
                        .isEqualTo(new EpochAndOffset(answer.getKey(), answer.getValue()));
            }
            for (long offset = 0; offset <= end; offset++) {
                assertThat(ours.epochAt(offset))
                        .as("the epoch of offset %s in %s", offset, ours)
                        .isEqualTo(kafka.epochForOffset(offset).orElse(-1));
            }
        }
    }

    /** What is said of the file is not the subject. */
    private static final class Unwritten extends LeaderEpochCheckpointFile {
        Unwritten() throws IOException {
            super(folder.resolve(FILE).toFile(), null);
        }

        @Override
        public void write(Collection<EpochEntry> entries) {}

        @Override
        public void writeIfDirExists(Collection<EpochEntry> entries) {}

        @Override
        public List<EpochEntry> read() {
            return List.of();
        }
    }

    /** Writing later is not done at all. */
    private static final class Never implements Scheduler {
        @Override
        public void startup() {}

        @Override
        public void shutdown() {}

        @Override
        public ScheduledFuture<?> schedule(String name, Runnable task, long delayMs, long periodMs) {
            return null;
        }

        @Override
        public void resizeThreadPool(int size) {}
    }
}
