package io.tidemark.quorum.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept of the log and for how long, on files that hold nothing. */
class HistoryKeeperTest {
    private static final long HOUR = 3_600_000;

    @TempDir
    private Path folder;

    private Path current;
    private Path snapshots;
    private Path history;

    @BeforeEach
    void folders() throws IOException {
        current = Files.createDirectories(folder.resolve("quorum/group/current"));
        snapshots = Files.createDirectories(folder.resolve("quorum/group/sm"));
        history = folder.resolve("history");
    }

    private HistoryKeeper keeper(long maxAgeMs, long maxBytes) {
        return new HistoryKeeper(folder.resolve("quorum"), history, maxAgeMs, maxBytes);
    }

    private static void file(Path path, int size, long writtenMs) throws IOException {
        Files.write(path, new byte[size]);
        Files.setLastModifiedTime(path, FileTime.fromMillis(writtenMs));
    }

    private void snapshot(long index, long writtenMs) throws IOException {
        file(snapshots.resolve("snapshot.1_" + index), 100, writtenMs);
        file(snapshots.resolve("snapshot.1_" + index + ".md5"), 0, writtenMs);
    }

    private List<String> kept() throws IOException {
        try (Stream<Path> files = Files.list(history)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.endsWith(".md5"))
                    .sorted()
                    .toList();
        }
    }

    /** Log 0-9 | snapshot 9 | 10-19, 20-29 | snapshot 24 | 30-39 | snapshot 35, an hour apart from hour 1 on. */
    private void fill() throws IOException {
        file(current.resolve("log_0-9"), 1_000, HOUR);
        snapshot(9, HOUR);
        file(current.resolve("log_10-19"), 1_000, 2 * HOUR);
        file(current.resolve("log_20-29"), 1_000, 2 * HOUR);
        snapshot(24, 2 * HOUR);
        file(current.resolve("log_30-39"), 1_000, 3 * HOUR);
        snapshot(35, 3 * HOUR);
    }

    @Test
    void onlyWhatIsClosedCommittedAndFinishedIsKept() throws IOException {
        fill();
        file(current.resolve("log_inprogress_40"), 10, HOUR);
        file(snapshots.resolve("snapshot.1_38"), 10, HOUR);
        keeper(-1, -1).keep(35);
        assertThat(kept())
                .containsExactly("log_0-9", "log_10-19", "log_20-29", "snapshot.1_24", "snapshot.1_35", "snapshot.1_9");
        keeper(-1, -1).keep(39);
        assertThat(kept()).contains("log_30-39").doesNotContain("log_inprogress_40", "snapshot.1_38");
        assertThat(Files.isSameFile(history.resolve("log_0-9"), current.resolve("log_0-9")))
                .as("a link, not a copy")
                .isTrue();
    }

    @Test
    void theOldestGoesOnceAllOfItIsTooOld() throws IOException {
        fill();
        HistoryKeeper keeper = keeper(5 * HOUR, -1);
        keeper.keep(39);
        keeper.trim(6 * HOUR);
        assertThat(kept()).hasSize(7);
        keeper.trim(6 * HOUR + 1);
        assertThat(kept())
                .as("the log before the first snapshot has the age of that snapshot")
                .containsExactly(
                        "log_10-19", "log_20-29", "log_30-39", "snapshot.1_24", "snapshot.1_35", "snapshot.1_9");
        keeper.trim(7 * HOUR + 1);
        assertThat(kept())
                .as("a file that a later snapshot needs stays")
                .containsExactly("log_20-29", "log_30-39", "snapshot.1_24", "snapshot.1_35");
        keeper.trim(1_000 * HOUR);
        assertThat(kept()).as("there is always a beginning").containsExactly("log_30-39", "snapshot.1_35");
        assertThat(Files.exists(history.resolve("snapshot.1_24.md5"))).isFalse();
        assertThat(current.resolve("log_0-9")).as("Ratis' own files stay").exists();
    }

    /** Ratis keeps an earlier snapshot of its own; the log behind it is gone here and there. */
    @Test
    void aSnapshotThatWasTrimmedDoesNotComeBackWithoutItsLog() throws IOException {
        fill();
        HistoryKeeper keeper = keeper(HOUR, -1);
        keeper.keep(39);
        keeper.trim(1_000 * HOUR);
        for (String purged : List.of("log_0-9", "log_10-19", "log_20-29")) {
            Files.delete(current.resolve(purged));
        }
        keeper.keep(39);
        assertThat(kept()).containsExactly("log_30-39", "snapshot.1_35");
    }

    @Test
    void theOldestGoesWhileThereIsTooMuch() throws IOException {
        fill();
        HistoryKeeper keeper = keeper(-1, 4_300);
        keeper.keep(39);
        keeper.trim(4 * HOUR);
        assertThat(kept()).hasSize(7);
        keeper = keeper(-1, 4_299);
        keeper.trim(4 * HOUR);
        assertThat(kept()).doesNotContain("log_0-9").contains("snapshot.1_9");
        keeper = keeper(-1, 1_100);
        keeper.trim(4 * HOUR);
        assertThat(kept()).containsExactly("log_30-39", "snapshot.1_35");
        keeper = keeper(-1, 0);
        keeper.trim(4 * HOUR);
        assertThat(kept()).isEmpty();
    }
}
