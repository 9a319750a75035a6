package io.tidemark.broker.app;

import io.tidemark.broker.disk.BootEvidence;
import io.tidemark.broker.disk.RealDisk;
import io.tidemark.broker.disk.RocksDbIndex;
import io.tidemark.broker.health.RecoveryProgress;
import io.tidemark.broker.log.DataDirectory;
import io.tidemark.broker.log.Disk;
import io.tidemark.broker.log.LogSettings;
import io.tidemark.broker.log.OpenedLog;
import io.tidemark.model.metadata.SeatReport;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The data directory of one run: opened with all its logs recovered, and what that says about the run before. */
final class Storage {
    private static final Logger LOG = LoggerFactory.getLogger(Storage.class);
    private static final String INDEX = "index";

    /** A log that was found, recovered. */
    record Recovered(DataDirectory.FoundLog found, OpenedLog opened) {}

    private final DataDirectory directory;
    private final List<Recovered> logs;
    private final String evidence;
    private final long previousBrokerEpoch;
    private final boolean nothingLost;

    private Storage(
            DataDirectory directory,
            List<Recovered> logs,
            String evidence,
            long previousBrokerEpoch,
            boolean nothingLost) {
        this.directory = directory;
        this.logs = logs;
        this.evidence = evidence;
        this.previousBrokerEpoch = previousBrokerEpoch;
        this.nothingLost = nothingLost;
    }

    /** Blocks until every log is recovered; several at a time. */
    static Storage open(Path root, LogSettings settings, RecoveryProgress progress)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        Disk disk = new RealDisk();
        String boot = BootEvidence.of(root);
        DataDirectory directory = DataDirectory.open(
                disk,
                root,
                RocksDbIndex.open(disk, root.resolve(INDEX)),
                boot,
                UUID.randomUUID().toString());
        long previousEpoch = directory.cleanBrokerEpoch().orElse(-1);
        for (Path unknown : directory.unidentified()) {
            LOG.warn("{} does not say which topic it belongs to; it is left alone", unknown);
        }
        directory.startLoading();
        List<Recovered> recovered = recoverAll(directory, settings, progress);
        directory.allLogsOpened(settings.synced());
        boolean nothingCut = recovered.stream().noneMatch(log -> log.opened().cut());
        LOG.info(
                "{} logs recovered in {} ms after {}{}",
                recovered.size(),
                (System.nanoTime() - start) / 1_000_000,
                previousEpoch >= 0
                        ? "an orderly stop"
                        : directory.sameBoot()
                                ? "an end of the process alone"
                                : "a restart of the machine, a failed sync or a first start",
                nothingCut ? "" : "; incomplete batches were cut off");
        return new Storage(
                directory,
                recovered,
                directory.evidence(settings.synced()),
                previousEpoch,
                directory.nothingLost(settings.synced()));
    }

    private static List<Recovered> recoverAll(DataDirectory directory, LogSettings settings, RecoveryProgress progress)
            throws IOException, InterruptedException {
        ExecutorService pool =
                Executors.newFixedThreadPool(Math.max(2, Runtime.getRuntime().availableProcessors()));
        try {
            List<Future<Recovered>> futures = new ArrayList<>();
            for (DataDirectory.FoundLog found : directory.logs()) {
                futures.add(pool.submit(() -> {
                    Recovered log = new Recovered(found, directory.openLog(found, settings));
                    progress.oneRecovered();
                    return log;
                }));
            }
            progress.found(futures.size());
            List<Recovered> recovered = new ArrayList<>();
            for (Future<Recovered> future : futures) {
                recovered.add(future.get());
            }
            return recovered;
        } catch (ExecutionException e) {
            throw new IOException("a log cannot be recovered: " + e.getCause().getMessage(), e.getCause());
        } finally {
            pool.shutdownNow();
        }
    }

    static void sync(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    DataDirectory directory() {
        return directory;
    }

    List<Recovered> logs() {
        return logs;
    }

    /** {@link DataDirectory#evidence}. */
    String evidence() {
        return evidence;
    }

    /** R7.4: of the last run, if it ended in order; else -1. */
    long previousBrokerEpoch() {
        return previousBrokerEpoch;
    }

    /** B1, rule 5: what the logs hold; to be asked before anything is written to them. */
    List<SeatReport> reports(int brokerId) {
        return logs.stream()
                .map(log -> log.opened().report(brokerId, log.found().id()))
                .toList();
    }

    /** {@link DataDirectory#nothingLost}. */
    boolean nothingLost() {
        return nothingLost;
    }
}
