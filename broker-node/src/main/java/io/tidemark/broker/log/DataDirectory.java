package io.tidemark.broker.log;

import io.tidemark.model.Check;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.QuorumCommand.RegisterBroker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * One data directory: its partition directories, Kafka's checkpoint files, and what is known of how the last run ended.
 * All methods may block; they are for any thread but a loop.
 *
 * <p>A start goes: {@link #open}, {@link #startLoading}, {@link #openLog} for each of {@link #logs}, {@link
 * #allLogsOpened}. An orderly stop: close every log, {@link #checkpointHighWatermarks}, {@link #closeCleanly}.
 */
public final class DataDirectory implements AutoCloseable {
    static final String HIGH_WATERMARKS = "replication-offset-checkpoint";
    static final String RECOVERY_POINTS = "recovery-point-offset-checkpoint";
    static final String LOG_STARTS = "log-start-offset-checkpoint";
    static final String BOOT_EVIDENCE = "boot-evidence";
    private static final String SYNCED_RUN = "synced";
    private static final String DELETED_SUFFIX = "-delete";
    private static final String UNIDENTIFIED_SUFFIX = ".unidentified";

    /** A partition directory and the incarnation it belongs to. */
    public record FoundLog(LogName name, PartitionId id, Path directory) {}

    private final Disk disk;
    private final Path root;
    private final OffsetIndex index;
    private final String bootEvidence;
    private final OptionalLong cleanBrokerEpoch;
    private final boolean sameBoot;
    private final boolean lastRunSynced;
    /** The run since which nothing was lost here, as the last one left it; "" if that is not known. */
    private final String lastLineage;

    private final String runId;
    /** Of the logs opened by {@link #openLog}: recovery took bytes away, or the log ends below what was synced. */
    private boolean anyCut;

    private boolean anySyncedLost;
    private final OffsetCheckpoint highWatermarkFile;
    private final OffsetCheckpoint recoveryPointFile;
    private final OffsetCheckpoint logStartFile;
    private final Map<LogName, Long> highWatermarks;
    /** As in the file; a file that says too much of a log would make recovery trust bytes that were never synced. */
    private final Map<LogName, Long> recoveryPoints;

    private final Map<LogName, Long> logStarts;
    private final Map<LogName, SegmentLog> open = new HashMap<>();
    private final List<FoundLog> found = new ArrayList<>();
    private final List<Path> unidentified = new ArrayList<>();
    private boolean loading;

    private DataDirectory(Disk disk, Path root, OffsetIndex index, String bootEvidence, String runId)
            throws IOException {
        this.disk = disk;
        this.root = root;
        this.index = index;
        this.bootEvidence = bootEvidence;
        this.cleanBrokerEpoch = CleanShutdownFile.read(disk, root);
        List<String> before = readEvidence();
        this.runId = runId;
        this.sameBoot = !bootEvidence.isEmpty() && before.get(0).equals(bootEvidence);
        this.lastLineage = before.size() > 1 ? before.get(1) : "";
        this.lastRunSynced = before.size() > 2 && before.get(2).equals(SYNCED_RUN);
        this.highWatermarkFile = new OffsetCheckpoint(disk, root.resolve(HIGH_WATERMARKS));
        this.recoveryPointFile = new OffsetCheckpoint(disk, root.resolve(RECOVERY_POINTS));
        this.logStartFile = new OffsetCheckpoint(disk, root.resolve(LOG_STARTS));
        this.highWatermarks = highWatermarkFile.read();
        this.recoveryPoints = recoveryPointFile.read();
        this.logStarts = logStartFile.read();
    }

    /**
     * Reads the directory {@code root}, which exists, and deletes what removed partitions left behind. {@code bootEvidence}
     * names this boot of the kernel and the mount under the directory; empty if unknown. {@code runId} is unlike that of
     * any other run. Throws IOException if a
     * checkpoint file is malformed (R9.21).
     */
    public static DataDirectory open(Disk disk, Path root, OffsetIndex index, String bootEvidence, String runId)
            throws IOException {
        DataDirectory directory = new DataDirectory(disk, root, index, bootEvidence, runId);
        directory.listLogs();
        return directory;
    }

    /** Lines: what named the boot, since which run nothing was lost, and how the last run counted. */
    private List<String> readEvidence() throws IOException {
        try {
            return List.of(new String(disk.read(root.resolve(BOOT_EVIDENCE)), StandardCharsets.UTF_8).split("\n", -1));
        } catch (NoSuchFileException e) {
            return List.of("");
        }
    }

    private void listLogs() throws IOException {
        for (String name : disk.list(root).stream().sorted().toList()) {
            Path path = root.resolve(name);
            if (name.endsWith(DELETED_SUFFIX)) {
                disk.delete(path);
                continue;
            }
            Optional<LogName> logName = LogName.parse(name);
            if (logName.isPresent()) {
                Optional<TopicId> topicId = PartitionMetadata.read(disk, path);
                if (topicId.isPresent()) {
                    PartitionId id =
                            new PartitionId(topicId.get(), logName.get().partition());
                    found.add(new FoundLog(logName.get(), id, path));
                } else if (disk.list(path).stream().noneMatch(file -> Segment.baseOf(file) >= 0)) {
                    // A creation that a crash cut short: it never had a record.
                    disk.delete(path);
                } else {
                    unidentified.add(path);
                }
            }
        }
    }

    /** The broker epoch of the run that stopped orderly here, or empty; readable until {@link #startLoading} (R7.4). */
    public OptionalLong cleanBrokerEpoch() {
        return cleanBrokerEpoch;
    }

    /** Whether the last run was on this boot of the kernel and this mount, and had no reason to think a write was lost. */
    public boolean sameBoot() {
        return sameBoot;
    }

    /**
     * B1: what stays equal as long as nothing that is acknowledged here can be lost; "" if unknown. It names the run since
     * which nothing was: what one run finds missing, a later one that finds nothing more must not vouch for, since the
     * first may have ended before anybody heard of it.
     *
     * @param synced this run counts nothing before it is synced (B16)
     */
    public String evidence(boolean synced) {
        String since = " since " + lineage(synced);
        return synced ? RegisterBroker.SYNCED + since : bootEvidence.isEmpty() ? "" : bootEvidence + since;
    }

    private String lineage(boolean synced) {
        return nothingLost(synced) && !lastLineage.isEmpty() ? lastLineage : runId;
    }

    /**
     * B1: whether nothing can be missing of what the last run acknowledged, given that all logs are open. No sync of it
     * failed; it was on this boot and recovery cut nothing, or it acknowledged only what was synced.
     */
    public synchronized boolean nothingLost(boolean synced) {
        return synced ? lastRunSynced && !anySyncedLost : sameBoot && !anyCut;
    }

    /** The partition directories found at {@link #open}. */
    public List<FoundLog> logs() {
        return List.copyOf(found);
    }

    /**
     * Partition directories with data that do not say which topic they belong to; left alone, or renamed when their name
     * is needed.
     */
    public List<Path> unidentified() {
        return List.copyOf(unidentified);
    }

    /** R7.4: from here on the last stop does not count as orderly any more. */
    public synchronized void startLoading() throws IOException {
        CleanShutdownFile.delete(disk, root);
        keepOnlyFound();
        loading = true;
    }

    /** A run that ended while it removed a log has left what stands outside the log's directory. */
    private void keepOnlyFound() throws IOException {
        Set<LogName> names = new HashSet<>();
        Set<PartitionId> ids = new HashSet<>();
        for (FoundLog log : found) {
            names.add(log.name());
            ids.add(log.id());
        }
        keepOnly(names, highWatermarks, highWatermarkFile);
        keepOnly(names, recoveryPoints, recoveryPointFile);
        keepOnly(names, logStarts, logStartFile);
        index.keepOnly(ids);
    }

    /** In the file too: a line that stayed there alone would speak for a later log of that name. */
    private static void keepOnly(Set<LogName> names, Map<LogName, Long> offsets, OffsetCheckpoint file)
            throws IOException {
        if (offsets.keySet().retainAll(names)) {
            file.write(offsets);
        }
    }

    /** Recovers a log that was found here. Not synchronized: logs may be opened side by side. */
    public OpenedLog openLog(FoundLog log, LogSettings settings) throws IOException {
        LogRecovery.Known known;
        synchronized (this) {
            Check.that(loading, "startLoading comes before the first log");
            known = new LogRecovery.Known(
                    cleanBrokerEpoch.isPresent(),
                    sameBoot,
                    highWatermarks.getOrDefault(log.name(), 0L),
                    logStarts.getOrDefault(log.name(), 0L),
                    recoveryPoints.getOrDefault(log.name(), 0L));
        }
        return recover(log, settings, known);
    }

    /**
     * Creates the directory of a new partition and its empty log. Not synchronized: a topic's partitions are created side
     * by side. Neither is durable before the log's first flush: nothing is in it to be lost.
     */
    public OpenedLog createLog(LogName name, PartitionId id, LogSettings settings) throws IOException {
        Path directory = root.resolve(name.toString());
        synchronized (this) {
            Check.that(loading, "startLoading comes before the first log");
            // What an earlier incarnation of the name left must not speak for this one.
            forget(name);
            if (unidentified.remove(directory)) {
                setAside(directory);
            }
        }
        Check.that(!disk.exists(directory), "a partition directory is created once: %s", directory);
        index.deleteLog(id);
        disk.addDirectory(directory);
        PartitionMetadata.write(disk, directory, id.topicId());
        return recover(new FoundLog(name, id, directory), settings, LogRecovery.Known.NEW);
    }

    /** Whoever knows whose records these are still finds them. */
    private void setAside(Path directory) throws IOException {
        Path aside = directory.resolveSibling(directory.getFileName() + UNIDENTIFIED_SUFFIX);
        for (int i = 2; disk.exists(aside); i++) {
            aside = directory.resolveSibling(directory.getFileName() + UNIDENTIFIED_SUFFIX + i);
        }
        disk.rename(directory, aside);
    }

    private OpenedLog recover(FoundLog log, LogSettings settings, LogRecovery.Known known) throws IOException {
        OpenedLog opened = LogRecovery.open(
                disk, index, log.id(), log.directory(), settings, known, new SegmentLog.CheckpointGuard() {
                    @Override
                    public void beforeCut(long recoveryPoint, long end) throws IOException {
                        DataDirectory.this.beforeCut(log.name(), recoveryPoint, end);
                    }

                    @Override
                    public void beforeLoss() throws IOException {
                        distrustThisBoot();
                    }
                });
        synchronized (this) {
            open.put(log.name(), opened.log());
            anyCut |= opened.cut();
            anySyncedLost |= opened.syncedLost();
        }
        return opened;
    }

    /**
     * To be called when every log of {@link #logs} was recovered, and not if one was not: only then may a later start on
     * this boot rely on what this one verified.
     */
    public void allLogsOpened() throws IOException {
        allLogsOpened(false);
    }

    /** @param synced this run counts nothing before it is synced (B16) */
    public synchronized void allLogsOpened(boolean synced) throws IOException {
        String evidence = bootEvidence + "\n" + lineage(synced) + (synced ? "\n" + SYNCED_RUN : "");
        disk.replace(root.resolve(BOOT_EVIDENCE), evidence.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * A write may be lost although the machine runs on ({@link LostWritesException}), or recovery is about to take bytes
     * away: until {@link #allLogsOpened} no start may rely on this boot. It is a matter of names only, which even a disk
     * that takes no more data forgets last.
     */
    public void distrustThisBoot() throws IOException {
        disk.delete(root.resolve(BOOT_EVIDENCE));
    }

    /**
     * R3.15: takes over these high watermarks, keeps those of other logs, and writes the file. One whose log is not open
     * here is left out: it may be of an incarnation that is gone, or of a log that is still being created.
     */
    public synchronized void checkpointHighWatermarks(Map<PartitionId, Long> current) throws IOException {
        open.forEach((name, log) -> {
            Long mark = current.get(log.id());
            if (mark != null) {
                highWatermarks.put(name, mark);
            }
        });
        highWatermarkFile.write(highWatermarks);
    }

    /** Writes the recovery points of all open logs; useful after flushes, about once a minute and at the stop. */
    public synchronized void checkpointRecoveryPoints() throws IOException {
        open.forEach((name, log) -> recoveryPoints.put(name, log.recoveryPoint()));
        recoveryPointFile.write(recoveryPoints);
    }

    /** R3.27: writes the log starts of all open logs whose start lies inside their first segment. */
    public synchronized void checkpointLogStarts() throws IOException {
        Map<LogName, Long> inside = new TreeMap<>(logStarts);
        open.forEach((name, log) -> inside.put(name, log.logStartOffset()));
        inside.values().removeIf(offset -> offset == 0);
        logStarts.clear();
        logStarts.putAll(inside);
        logStartFile.write(logStarts);
    }

    private synchronized void beforeCut(LogName name, long recoveryPoint, long end) throws IOException {
        lower(recoveryPoints, recoveryPointFile, name, recoveryPoint);
        lower(highWatermarks, highWatermarkFile, name, end);
        lower(logStarts, logStartFile, name, end);
    }

    private static void lower(Map<LogName, Long> offsets, OffsetCheckpoint file, LogName name, long most)
            throws IOException {
        if (offsets.getOrDefault(name, 0L) > most) {
            offsets.put(name, most);
            file.write(offsets);
        }
    }

    /**
     * Removes a partition whose log was closed or abandoned: its name is free on return. Returns the renamed directory, to
     * be passed to {@link #deleteRemoved} when convenient; left alone, it goes at the next start.
     */
    public synchronized Path removeLog(FoundLog log) throws IOException {
        Path renamed = root.resolve(log.name() + "." + log.id().topicId() + DELETED_SUFFIX);
        disk.delete(renamed);
        disk.rename(log.directory(), renamed);
        forget(log.name());
        index.deleteLog(log.id());
        return renamed;
    }

    public void deleteRemoved(Path renamed) throws IOException {
        Check.that(renamed.toString().endsWith(DELETED_SUFFIX), "only removed partitions are deleted: %s", renamed);
        disk.delete(renamed);
    }

    /** Deletes what a {@link #createLog} that threw has left: else the name could not be used again in this run. */
    public synchronized void discardUnfinished(LogName name) throws IOException {
        Check.that(!open.containsKey(name), "only what was never a log is discarded: %s", name);
        Path directory = root.resolve(name.toString());
        if (disk.exists(directory)) {
            disk.delete(directory);
        }
    }

    private void forget(LogName name) throws IOException {
        open.remove(name);
        if (highWatermarks.remove(name) != null) {
            highWatermarkFile.write(highWatermarks);
        }
        if (recoveryPoints.remove(name) != null) {
            recoveryPointFile.write(recoveryPoints);
        }
        if (logStarts.remove(name) != null) {
            logStartFile.write(logStarts);
        }
    }

    /** R7.4: the last step of an orderly stop, when every log was closed and the high watermarks are written. */
    public synchronized void closeCleanly(long brokerEpoch) throws IOException {
        checkpointRecoveryPoints();
        checkpointLogStarts();
        index.flush();
        CleanShutdownFile.write(disk, root, brokerEpoch);
        close();
    }

    /** Gives the index up, without a word about the logs. */
    @Override
    public void close() {
        index.close();
    }
}
