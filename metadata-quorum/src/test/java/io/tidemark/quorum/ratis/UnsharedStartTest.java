package io.tidemark.quorum.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.metadata.ClusterImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftServerConfigKeys.Log.CorruptionPolicy;
import org.apache.ratis.server.raftlog.segmented.LogSegment;
import org.apache.ratis.server.raftlog.segmented.LogSegmentPath;
import org.apache.ratis.util.PureJavaCrc32C;
import org.apache.ratis.util.SizeInBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A controller that led for an instant at the formation of its cluster was left with a first entry of its own, could never
 * follow the others, and kept a broker that asked it for metadata out of service.
 */
class UnsharedStartTest {
    private static final byte[] HEADER = "RaftLog1".getBytes(StandardCharsets.US_ASCII);

    @Test
    void aControllerWithAFirstEntryOfItsOwnComesBack(@TempDir Path folder) throws Exception {
        try (QuorumHarness quorum = QuorumHarness.withCore(folder, 3, 1_000)) {
            quorum.converged();
            QuorumServer stuck = quorum.follower();
            quorum.kill(stuck.nodeId());
            Path current = currentOf(quorum.directory(stuck.nodeId()));
            LogEntryProto first = entries(current).get(0);
            assertThat(first.hasStateMachineLogEntry()).isFalse();
            deleteLogs(current);
            write(
                    current.resolve("log_inprogress_0"),
                    first.toBuilder().setTerm(first.getTerm() + 1).build());
            quorum.startNode(stuck.nodeId());
            ClusterImage image = quorum.converged();
            assertThat(quorum.server(stuck.nodeId()).image().digest()).isEqualTo(image.digest());
        }
    }

    @Test
    void aLogWithMetadataIsKept(@TempDir Path folder) throws Exception {
        try (QuorumHarness quorum = QuorumHarness.withCore(folder, 1, 1_000)) {
            quorum.converged();
            int id = quorum.leader().nodeId();
            quorum.kill(id);
            Path current = currentOf(quorum.directory(id));
            List<LogEntryProto> before = entries(current);
            UnsharedStart.forget(QuorumStorage.root(quorum.directory(id)));
            assertThat(entries(current)).isEqualTo(before).isNotEmpty();
        }
    }

    private static Path currentOf(Path directory) throws IOException {
        try (Stream<Path> groups = Files.list(QuorumStorage.root(directory))) {
            return groups.findFirst().orElseThrow().resolve("current");
        }
    }

    private static List<LogSegmentPath> segments(Path current) throws IOException {
        try (Stream<Path> files = Files.list(current)) {
            return files.map(LogSegmentPath::matchLogSegment)
                    .filter(path -> path != null)
                    .sorted(Comparator.comparing(LogSegmentPath::getStartEnd))
                    .toList();
        }
    }

    private static List<LogEntryProto> entries(Path current) throws IOException {
        List<LogEntryProto> entries = new ArrayList<>();
        for (LogSegmentPath segment : segments(current)) {
            LogSegment.readSegmentFile(
                    segment.getPath().toFile(),
                    segment.getStartEnd(),
                    SizeInBytes.valueOf("16MB"),
                    CorruptionPolicy.EXCEPTION,
                    null,
                    entries::add);
        }
        return entries;
    }

    private static void deleteLogs(Path current) throws IOException {
        for (LogSegmentPath segment : segments(current)) {
            Files.delete(segment.getPath());
        }
    }

    /** A segment file with one entry: header, length, entry, CRC32C of the two, big-endian. */
    private static void write(Path file, LogEntryProto entry) throws IOException {
        byte[] bytes = entry.toByteArray();
        ByteArrayOutputStream framed = new ByteArrayOutputStream();
        int length = bytes.length;
        while (length > 0x7f) {
            framed.write(length & 0x7f | 0x80);
            length >>>= 7;
        }
        framed.write(length);
        framed.write(bytes);
        PureJavaCrc32C crc = new PureJavaCrc32C();
        byte[] content = framed.toByteArray();
        crc.update(content, 0, content.length);
        ByteBuffer whole = ByteBuffer.allocate(HEADER.length + content.length + 4)
                .put(HEADER)
                .put(content)
                .putInt((int) crc.getValue());
        Files.write(file, whole.array());
    }
}
