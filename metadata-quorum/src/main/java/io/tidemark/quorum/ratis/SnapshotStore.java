package io.tidemark.quorum.ratis;

import io.tidemark.model.codec.SnapshotCodec;
import io.tidemark.quorum.files.KeyframeFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.SnapshotRetentionPolicy;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.util.MD5FileUtil;

/**
 * Snapshots on disk: one file {@code snapshot.TERM_INDEX} of the image with its digest beside it. A snapshot counts
 * only once it is adopted: Ratis purges its log behind the one that {@link #getLatestSnapshot} names, so a file is
 * complete and durable before it is named there. The folder holds nothing else, since an install replaces all of it.
 */
final class SnapshotStore implements StateMachineStorage {
    private volatile Path folder;
    private volatile SingleFileSnapshotInfo latest;
    private volatile SingleFileSnapshotInfo written;

    @Override
    public void init(RaftStorage storage) throws IOException {
        folder = storage.getStorageDir().getStateMachineDir().toPath();
        Files.createDirectories(folder);
        rescan();
    }

    /** Adopts what is on disk: at start, and after an install has replaced the folder. */
    void rescan() throws IOException {
        List<SingleFileSnapshotInfo> found = list();
        latest = found.isEmpty() ? null : found.get(0);
    }

    /** The adopted snapshot, or null. */
    @Override
    public SingleFileSnapshotInfo getLatestSnapshot() {
        return latest;
    }

    /** Reads and verifies the adopted snapshot; null if there is none. */
    AppliedState load() throws IOException {
        SingleFileSnapshotInfo info = latest;
        if (info == null) {
            return null;
        }
        Path path = info.getFile().getPath();
        MD5FileUtil.verifySavedMD5(path.toFile(), info.getFile().getFileDigest());
        return new AppliedState(SnapshotCodec.decode(Files.readAllBytes(path)), info.getTerm(), info.getIndex());
    }

    /** Writes a snapshot durably, to be adopted by {@link #adoptWritten}. */
    void write(AppliedState state) throws IOException {
        Path file = folder.resolve(KeyframeFile.nameOf(state.term(), state.index()));
        Path temporary = folder.resolve(file.getFileName() + ".tmp");
        try {
            write(state, temporary);
        } catch (IOException e) {
            // On a full disk the room is needed by the log.
            Files.deleteIfExists(temporary);
            throw e;
        }
        // The digest first: a snapshot without one would be taken for unfinished.
        MD5Hash digest = MD5FileUtil.computeMd5ForFile(temporary.toFile());
        MD5FileUtil.saveMD5File(file.toFile(), digest);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        try (FileChannel directory = FileChannel.open(folder)) {
            directory.force(true);
        }
        written = new SingleFileSnapshotInfo(new FileInfo(file, digest), state.term(), state.index());
    }

    private static void write(AppliedState state, Path temporary) throws IOException {
        try (FileChannel channel = FileChannel.open(
                temporary, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(SnapshotCodec.encode(state.image()));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    /** Names the last one written as the latest; the index of the latest, or -1 without one. */
    long adoptWritten() {
        SingleFileSnapshotInfo candidate = written;
        SingleFileSnapshotInfo present = latest;
        if (candidate != null && (present == null || candidate.getIndex() > present.getIndex())) {
            latest = candidate;
        }
        return latest == null ? -1 : latest.getIndex();
    }

    @Override
    public void format() {
        // The folder is created by init; there is nothing to lay out.
    }

    @Override
    public void cleanupOldSnapshots(SnapshotRetentionPolicy policy) throws IOException {
        int kept = policy == null ? -1 : policy.getNumSnapshotsRetained();
        SingleFileSnapshotInfo adopted = latest;
        if (kept <= 0 || adopted == null) {
            return;
        }
        List<SingleFileSnapshotInfo> found = list();
        found.removeIf(info -> info.getIndex() > adopted.getIndex());
        for (SingleFileSnapshotInfo old : found.subList(Math.min(kept, found.size()), found.size())) {
            Path path = old.getFile().getPath();
            Files.deleteIfExists(path);
            Files.deleteIfExists(KeyframeFile.digestOf(path));
        }
    }

    /** Finished snapshots, latest first. */
    private List<SingleFileSnapshotInfo> list() throws IOException {
        List<SingleFileSnapshotInfo> found = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path path : (Iterable<Path>) files::iterator) {
                KeyframeFile snapshot = KeyframeFile.parse(path).orElse(null);
                if (snapshot != null && Files.exists(KeyframeFile.digestOf(path))) {
                    FileInfo file = new FileInfo(path, MD5FileUtil.readStoredMd5ForFile(path.toFile()));
                    found.add(new SingleFileSnapshotInfo(file, TermIndex.valueOf(snapshot.term(), snapshot.index())));
                }
            }
        }
        found.sort(Comparator.comparing(SingleFileSnapshotInfo::getIndex).reversed());
        return found;
    }
}
