package io.tidemark.broker.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.broker.log.DataDirectory;
import io.tidemark.broker.log.LogName;
import io.tidemark.broker.log.LogSettings;
import io.tidemark.broker.log.LostWritesException;
import io.tidemark.broker.log.MemoryOffsetIndex;
import io.tidemark.broker.log.SimDisk;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What becomes of a directory one of whose logs fails (R7.23). */
class LogStoreTest {
    private static final Path ROOT = Path.of("/data");
    private static final LogName LOG = new LogName("orders", 0);

    private final SimDisk disk = new SimDisk(new Random(1));
    private final List<IOException> told = new ArrayList<>();

    private boolean trustedAfter(IOException problem) throws IOException {
        disk.createDirectory(ROOT);
        DataDirectory directory = DataDirectory.open(disk, ROOT, new MemoryOffsetIndex(), "boot", "run");
        directory.startLoading();
        directory.allLogsOpened();
        new LogStore(directory, ROOT, (log, failure) -> told.add(failure)).failed(LOG, problem);
        directory.close();
        return DataDirectory.open(disk, ROOT, new MemoryOffsetIndex(), "boot", "run")
                .sameBoot();
    }

    @Test
    void aFailedSyncMayHaveLostWritesOfThisBoot() throws IOException {
        IOException problem = new LostWritesException(ROOT, new IOException("input/output error"));
        assertThat(trustedAfter(problem)).isFalse();
        assertThat(told).containsExactly(problem);
    }

    /** The simulation found it (seed 136): the directory stayed, and the next log of the name could not be created. */
    @Test
    void whatAFailedCreationLeftIsGoneBeforeTheNextOfThatName() throws IOException {
        disk.createDirectory(ROOT);
        DataDirectory directory = DataDirectory.open(disk, ROOT, new MemoryOffsetIndex(), "boot", "run");
        directory.startLoading();
        LogStore store = new LogStore(directory, ROOT);
        PartitionId first = new PartitionId(new TopicId(1, 1), 0);
        PartitionId second = new PartitionId(new TopicId(2, 2), 0);
        List<PartitionId> granted = new ArrayList<>();
        store.whenFree(LOG, first, () -> granted.add(first));
        disk.faults((operation, path, bytes) -> {
            if (operation == SimDisk.Operation.CREATE) {
                throw new IOException("no space left on device");
            }
        });
        assertThatThrownBy(() -> store.create(LOG, first, LogSettings.DEFAULTS)).isInstanceOf(IOException.class);
        disk.faults((operation, path, bytes) -> {});
        store.whenFree(LOG, second, () -> granted.add(second));
        store.remove(LOG, first, null);
        assertThat(granted).containsExactly(first, second);
        assertThat(store.create(LOG, second, LogSettings.DEFAULTS).log().logEndOffset())
                .isZero();
    }

    @Test
    void noSpaceLosesNothingThatWasWritten() throws IOException {
        IOException problem = new IOException("no space left on device");
        assertThat(trustedAfter(problem)).isTrue();
        assertThat(told).containsExactly(problem);
    }
}
