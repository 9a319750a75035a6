package io.tidemark.model.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeDirectoryTest {
    private static final String CLUSTER = "4L6g3nShT-eMCtK--X86sw";
    private static final String OTHER_CLUSTER = "AAAAAAAAAAAAAAAAAAAAAQ";

    @TempDir
    Path parent;

    @Test
    void aFormattedDirectoryOpensWithItsIdentity() throws IOException {
        Path path = formatted();
        assertThat(Files.readAllLines(path.resolve("meta.properties")))
                .contains("version=1", "cluster.id=" + CLUSTER, "node.id=1", "tidemark.format.version=1");
        try (NodeDirectory directory = NodeDirectory.open(path, 1, CLUSTER)) {
            assertThat(directory.clusterId()).isEqualTo(CLUSTER);
            assertThat(directory.nodeId()).isEqualTo(1);
            assertThat(Uuids.require(directory.directoryId())).hasSize(22);
        }
    }

    @Test
    void aBlankDirectoryIsRefusedAndLeftBlank() throws IOException {
        assertRefused(parent, "is not formatted", "cluster.sh format");
        try (var entries = Files.list(parent)) {
            assertThat(entries).isEmpty();
        }
        assertRefused(parent.resolve("missing"), "is not formatted");
    }

    @Test
    void anotherNodesDirectoryIsRefused() {
        Path path = formatted();
        assertThatThrownBy(() -> NodeDirectory.open(path, 2))
                .isInstanceOf(DirectoryException.class)
                .hasMessageContainingAll(path.toString(), "belongs to node 1", "this is node 2");
    }

    @Test
    void anotherClustersDirectoryIsRefusedAndItsLockGivenBack() {
        Path path = formatted();
        assertThatThrownBy(() -> NodeDirectory.open(path, 1, OTHER_CLUSTER))
                .isInstanceOf(DirectoryException.class)
                .hasMessageContainingAll("belongs to cluster " + CLUSTER, "this is cluster " + OTHER_CLUSTER);
        NodeDirectory.open(path, 1, CLUSTER).close();
    }

    @Test
    void aDirectoryInUseByThisProcessIsRefused() {
        Path path = formatted();
        try (NodeDirectory held = NodeDirectory.open(path, 1)) {
            assertRefused(held.path(), "is in use by this very process");
        }
        NodeDirectory.open(path, 1).close();
    }

    @Test
    void aDirectoryInUseByAnotherProcessIsRefused() throws Exception {
        Path path = formatted();
        Process holder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName(),
                        path.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(holder.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(out.readLine()).isEqualTo("held");
            assertRefused(path, "is in use by another process (process " + holder.pid() + ")");
        } finally {
            holder.destroyForcibly().waitFor();
        }
        NodeDirectory.open(path, 1).close();
    }

    @Test
    void aLockFileLeftByADeadProcessHoldsNobodyUp() throws IOException {
        Path path = formatted();
        Files.writeString(path.resolve(".lock"), "12345");
        NodeDirectory.open(path, 1).close();
    }

    @Test
    void formattingTwiceIsRefusedUnlessAskedFor() {
        Path path = formatted();
        DirectoryIdentity before = DirectoryIdentity.read(path).orElseThrow();
        assertThatThrownBy(() -> NodeDirectory.format(path, CLUSTER, 1, false))
                .isInstanceOf(DirectoryException.class)
                .hasMessageContaining("already formatted");
        assertThat(NodeDirectory.format(path, CLUSTER, 1, true)).isFalse();
        assertThat(DirectoryIdentity.read(path)).contains(before);
    }

    @Test
    void aForeignDirectoryIsNeverFormatted() {
        Path path = formatted();
        assertThatThrownBy(() -> NodeDirectory.format(path, OTHER_CLUSTER, 1, true))
                .hasMessageContaining("belongs to cluster");
        assertThatThrownBy(() -> NodeDirectory.format(path, CLUSTER, 2, true)).hasMessageContaining("belongs to node");
    }

    @Test
    void aDirectoryWithDataButNoIdentityIsNeverFormatted() throws IOException {
        Files.createDirectory(parent.resolve("topic-0"));
        assertThatThrownBy(() -> NodeDirectory.format(parent, CLUSTER, 1, true))
                .isInstanceOf(DirectoryException.class)
                .hasMessageContainingAll("is not empty", "topic-0");
    }

    @Test
    void aDirectoryOfSomethingElseOrOfALaterFormatIsRefused() throws IOException {
        Path meta = parent.resolve("meta.properties");
        String known = "version=1\ncluster.id=" + CLUSTER + "\nnode.id=1\ndirectory.id=" + OTHER_CLUSTER + "\n";
        Files.writeString(meta, known);
        assertRefused(parent, "is not a data directory of Tidemark");
        Files.writeString(meta, known + "tidemark.format.version=2\n");
        assertRefused(parent, "tidemark.format.version=2, and this program knows only 1");
        Files.writeString(meta, known.replace(CLUSTER, "short") + "tidemark.format.version=1\n");
        assertRefused(parent, "is damaged");
    }

    private Path formatted() {
        Path path = parent.resolve("data");
        assertThat(NodeDirectory.format(path, CLUSTER, 1, false)).isTrue();
        return path;
    }

    private static void assertRefused(Path path, String... message) {
        assertThatThrownBy(() -> NodeDirectory.open(path, 1))
                .isInstanceOf(DirectoryException.class)
                .hasMessageContaining(path.toString())
                .hasMessageContainingAll(message);
    }

    /** Another process that holds a directory until it is killed. */
    static final class Holder {
        public static void main(String[] arguments) throws InterruptedException {
            try (NodeDirectory directory = NodeDirectory.open(Path.of(arguments[0]), 1)) {
                System.out.println("held");
                Thread.currentThread().join();
            }
        }
    }
}
