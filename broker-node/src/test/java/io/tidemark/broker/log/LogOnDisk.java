package io.tidemark.broker.log;

import io.tidemark.model.EpochHistory;
import io.tidemark.model.PartitionId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Puts logs on a disk of which no process runs, as scenarios want them. */
public final class LogOnDisk {
    private LogOnDisk() {}

    /** In place of what there is: these batches, synced, and the mark in the checkpoint. Epochs may go down. */
    public static void put(
            SimDisk disk,
            OffsetIndex index,
            Path root,
            LogName name,
            PartitionId id,
            List<ByteBuffer> batches,
            long highWatermark)
            throws IOException {
        Path directory = root.resolve(name.toString());
        disk.delete(directory);
        index.deleteLog(id);
        disk.addDirectory(directory);
        disk.syncDirectory(root);
        PartitionMetadata.write(disk, directory, id.topicId());
        SegmentLog log = LogRecovery.open(
                        disk, index, id, directory, LogSettings.DEFAULTS, LogRecovery.Known.NEW, (point, end) -> {})
                .log();
        long start = batches.isEmpty() ? 0 : BatchHeader.read(batches.get(0), 0).baseOffset();
        if (start > 0) {
            log.truncateFullyAndStartAt(start);
        }
        int written = 0;
        for (ByteBuffer batch : batches) {
            BatchHeader header = BatchHeader.read(batch, 0);
            if (header.leaderEpoch() < log.epochs().latestEpoch()) {
                break;
            }
            log.persistEpochs(log.epochs().assign(header.leaderEpoch(), header.baseOffset()));
            log.stage(batch, header.leaderEpoch());
            log.write();
            written++;
        }
        long synced = log.logEndOffset();
        log.close();
        try (Disk.File file = disk.open(directory.resolve(Segment.fileName(start)))) {
            for (ByteBuffer batch : batches.subList(written, batches.size())) {
                file.write(new ByteBuffer[] {batch.duplicate()}, file.size());
            }
            file.sync();
        }
        disk.syncDirectory(directory);
        checkpoint(disk, root.resolve(DataDirectory.HIGH_WATERMARKS), name, highWatermark);
        checkpoint(disk, root.resolve(DataDirectory.RECOVERY_POINTS), name, written < batches.size() ? 0 : synced);
        index.flush();
    }

    private static void checkpoint(Disk disk, Path path, LogName name, long offset) throws IOException {
        OffsetCheckpoint file = new OffsetCheckpoint(disk, path);
        Map<LogName, Long> offsets = file.read();
        offsets.put(name, offset);
        file.write(offsets);
    }

    /** Another history in the epoch checkpoint; null: no file. */
    public static void epochs(SimDisk disk, Path root, LogName name, EpochHistory history) throws IOException {
        Path directory = root.resolve(name.toString());
        if (history == null) {
            disk.delete(directory.resolve(EpochCheckpoint.NAME));
            disk.syncDirectory(directory);
        } else {
            new EpochCheckpoint(disk, directory).write(history);
        }
    }
}
