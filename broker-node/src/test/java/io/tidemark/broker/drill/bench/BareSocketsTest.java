package io.tidemark.broker.drill.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BareSocketsTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theStreamCostsSomethingAndLeavesNothingBehind(boolean growing) {
        assertThat(new BareSockets(directory, growing).run(30_000_000)).isPositive();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void theBytesAreWrittenThreeTimes() {
        BareSockets bare = new BareSockets(directory, true);
        assertThat(bare.run(1_000_000)).isPositive();
        assertThat(bare.bytesWritten()).isEqualTo(3_000_000);
    }
}
