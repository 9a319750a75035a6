package io.tidemark.model.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A volume is warned of before it is full, and not while it has room. */
class DiskSpaceTest {
    private static final Path DATA = Path.of("/data");
    private static final long MIB = 1 << 20;

    @Test
    void lessThanATenthIsLittle() {
        assertThat(DiskSpace.warning(DATA, 1_000 * MIB, 99 * MIB))
                .contains("9.9 % of the volume of /data are free (99 MiB)");
        assertThat(DiskSpace.warning(DATA, 1_000 * MIB, 0)).isPresent();
    }

    @Test
    void aTenthIsEnough() {
        assertThat(DiskSpace.warning(DATA, 1_000 * MIB, 100 * MIB)).isEmpty();
    }

    @Test
    void aVolumeWithoutASizeIsNotWarnedOf() {
        assertThat(DiskSpace.warning(DATA, 0, 0)).isEmpty();
    }

    @Test
    void aVolumeThatCannotBeAskedIs(@TempDir Path folder) {
        assertThat(DiskSpace.warning(folder.resolve("gone")))
                .hasValueSatisfying(text -> assertThat(text).contains("cannot be asked for its space"));
    }
}
