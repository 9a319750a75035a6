package io.tidemark.broker.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BootEvidenceTest {
    private static final List<String> MOUNTS = List.of(
            "21 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw",
            "35 21 8:17 / /data rw,relatime - ext4 /dev/sdb1 rw",
            "36 21 8:33 / /data/with\\040blank rw - xfs /dev/sdc1 rw",
            "40 21 8:49 / /data rw,relatime - ext4 /dev/sdd1 rw",
            "short line");

    @Test
    void theInnermostNewestMountCounts() {
        assertThat(BootEvidence.mountOf("/var/lib", MOUNTS)).contains("8:1 21 /");
        assertThat(BootEvidence.mountOf("/database", MOUNTS)).contains("8:1 21 /");
        assertThat(BootEvidence.mountOf("/data", MOUNTS)).contains("8:49 40 /data");
        assertThat(BootEvidence.mountOf("/data/logs", MOUNTS)).contains("8:49 40 /data");
        assertThat(BootEvidence.mountOf("/data/with blank/x", MOUNTS)).contains("8:33 36 /data/with blank");
        assertThat(BootEvidence.mountOf("/data", List.of())).isEmpty();
    }

    @Test
    void theEvidenceStaysTheSameWithinABoot(@TempDir Path directory) throws IOException {
        assertThat(BootEvidence.of(directory)).isEqualTo(BootEvidence.of(directory));
    }
}
