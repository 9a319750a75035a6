package io.tidemark.quorum.ratis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.ratis.server.RaftServerConfigKeys.Log.CorruptionPolicy;
import org.apache.ratis.server.raftlog.segmented.LogSegment;
import org.apache.ratis.server.raftlog.segmented.LogSegmentPath;
import org.apache.ratis.util.SizeInBytes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way back for a controller that led for an instant while its cluster was formed: it wrote its own first entry, which
 * nobody else has, and the transport cannot replace the very first entry of a log (a heartbeat without a previous entry
 * makes it count as committed). Such a log holds no metadata, only Ratis' configuration of the group, the same on all
 * controllers; so it may go, and the controller fetches the others' log. What it has voted stays.
 *
 * <p>Safe at every start: a log without any metadata has had no part in committing any.
 */
final class UnsharedStart {
    private static final Logger LOG = LoggerFactory.getLogger(UnsharedStart.class);
    private static final SizeInBytes LARGEST_ENTRY = SizeInBytes.valueOf("16MB");

    private UnsharedStart() {}

    /** Removes the log files below the quorum's folder if they hold no metadata and there is no snapshot. */
    static void forget(Path root) throws IOException {
        try (Stream<Path> groups = Files.list(root)) {
            for (Path group : groups.toList()) {
                Path current = group.resolve("current");
                if (Files.isDirectory(current) && !hasSnapshot(group)) {
                    forgetIn(current);
                }
            }
        }
    }

    private static boolean hasSnapshot(Path group) throws IOException {
        Path snapshots = group.resolve("sm");
        if (!Files.isDirectory(snapshots)) {
            return false;
        }
        try (Stream<Path> files = Files.list(snapshots)) {
            return files.findAny().isPresent();
        }
    }

    private static void forgetIn(Path current) throws IOException {
        List<LogSegmentPath> segments;
        try (Stream<Path> files = Files.list(current)) {
            segments = files.map(LogSegmentPath::matchLogSegment)
                    .filter(path -> path != null)
                    .toList();
        }
        AtomicBoolean metadata = new AtomicBoolean();
        for (LogSegmentPath segment : segments) {
            // A damaged log is not judged here: opening it says what is wrong.
            LogSegment.readSegmentFile(
                    segment.getPath().toFile(),
                    segment.getStartEnd(),
                    LARGEST_ENTRY,
                    CorruptionPolicy.EXCEPTION,
                    null,
                    entry -> metadata.compareAndSet(false, entry.hasStateMachineLogEntry()));
            if (metadata.get()) {
                return;
            }
        }
        for (LogSegmentPath segment : segments) {
            LOG.info("{} holds no metadata and is left to be fetched from the others", segment.getPath());
            Files.delete(segment.getPath());
        }
        Files.deleteIfExists(current.resolve("raft-meta.conf"));
    }
}
