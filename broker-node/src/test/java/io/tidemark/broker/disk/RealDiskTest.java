package io.tidemark.broker.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.broker.log.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RealDiskTest {
    @TempDir
    Path root;

    private final RealDisk disk = new RealDisk();

    @Test
    void gatheringWritesLandWhereTheyAreAsked() throws IOException {
        ByteBuffer[] many = new ByteBuffer[3000];
        for (int i = 0; i < many.length; i++) {
            many[i] = ByteBuffer.allocate(4).putInt(i).flip();
        }
        try (Disk.File file = disk.create(root.resolve("f"))) {
            file.write(new ByteBuffer[] {ByteBuffer.allocate(0), ByteBuffer.wrap(new byte[8])}, 0);
            file.write(many, 4);
            assertThat(file.size()).isEqualTo(4 + 4 * many.length);
            ByteBuffer read = ByteBuffer.allocate(20_000);
            assertThat(file.read(read, 4)).isEqualTo(4 * many.length);
            assertThat(read.getInt(4 * 2999)).isEqualTo(2999);
            assertThat(file.read(ByteBuffer.allocate(4), 99_999)).isZero();
            file.truncate(6);
            file.sync();
        }
        assertThat(disk.size(root.resolve("f"))).isEqualTo(6);
        disk.open(root.resolve("f")).close();
        assertThat(disk.size(root.resolve("f"))).isEqualTo(6);
        disk.create(root.resolve("f")).close();
        assertThat(disk.size(root.resolve("f"))).isZero();
        assertThatThrownBy(() -> disk.open(root.resolve("g"))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void loadingTakesAnyRangeAndLeavesTheFileAsItWas() throws IOException {
        try (Disk.File file = disk.create(root.resolve("f"))) {
            file.load(0, 100);
            file.write(new ByteBuffer[] {ByteBuffer.allocate(20_000)}, 0);
            file.load(0, 20_000);
            file.load(4_097, 1);
            file.load(19_000, 5_000);
            file.load(30_000, 5);
            file.write(new ByteBuffer[] {ByteBuffer.wrap(new byte[] {7})}, 20_000);
            ByteBuffer read = ByteBuffer.allocate(2);
            assertThat(file.read(read, 19_999)).isEqualTo(2);
            assertThat(read.array()).containsExactly(0, 7);
            assertThat(file.size()).isEqualTo(20_001);
        }
    }

    @Test
    void replaceLeavesNoTemporaryFile() throws IOException {
        Path file = root.resolve("checkpoint");
        disk.replace(file, "long content".getBytes(StandardCharsets.UTF_8));
        disk.replace(file, "short".getBytes(StandardCharsets.UTF_8));
        assertThat(disk.read(file)).asString().isEqualTo("short");
        assertThat(disk.list(root)).isEqualTo(List.of("checkpoint"));
    }

    @Test
    void deletingTakesWholeTreesAndForgivesAbsence() throws IOException {
        disk.createDirectory(root.resolve("a/b"));
        Files.createFile(root.resolve("a/b/c"));
        disk.delete(root.resolve("a"));
        disk.delete(root.resolve("a"));
        assertThat(disk.exists(root.resolve("a"))).isFalse();
        assertThatThrownBy(() -> disk.read(root.resolve("a"))).isInstanceOf(NoSuchFileException.class);
    }
}
