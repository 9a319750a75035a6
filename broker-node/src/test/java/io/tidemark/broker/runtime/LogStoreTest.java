package io.tidemark.broker.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.log.DataDirectory;
import io.tidemark.broker.log.LogName;
import io.tidemark.broker.log.LostWritesException;
import io.tidemark.broker.log.MemoryOffsetIndex;
import io.tidemark.broker.log.SimDisk;
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

    @Test
    void noSpaceLosesNothingThatWasWritten() throws IOException {
        IOException problem = new IOException("no space left on device");
        assertThat(trustedAfter(problem)).isTrue();
        assertThat(told).containsExactly(problem);
    }
}
