package io.tidemark.broker.health;

import io.tidemark.broker.replica.Explanation;
import io.tidemark.broker.runtime.MonoClock;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.model.health.Page;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code /warnings}: what may become a problem on this broker, a line each; none on one that is well. */
public final class WarningsPage implements Page {
    /** More of one kind are only counted. */
    private static final int MOST_OF_A_KIND = 5;
    /** Of the volume, below which its space is worth a warning. */
    private static final double LEAST_FREE = 0.10;

    private final Partitions partitions;
    private final Path directory;
    private final long lagLimitMs;
    private final SessionWatch session;
    private final LagTrend trend;

    /** @param lagLimitMs {@code replica.lag.time.max.ms} */
    public WarningsPage(Partitions partitions, Path directory, long lagLimitMs, SessionWatch session, LagTrend trend) {
        this.partitions = partitions;
        this.directory = directory;
        this.lagLimitMs = lagLimitMs;
        this.session = session;
        this.trend = trend;
    }

    @Override
    public Answer answer(Map<String, String> query) {
        List<String> lines = new ArrayList<>();
        PartitionWarnings all = new PartitionWarnings(lagLimitMs);
        OnLoops.ask(partitions, loop -> ofLoop(loop)).forEach(all::addAll);
        all.kinds().forEach(kind -> {
            lines.addAll(kind.subList(0, Math.min(MOST_OF_A_KIND, kind.size())));
            if (kind.size() > MOST_OF_A_KIND) {
                lines.add("... and " + (kind.size() - MOST_OF_A_KIND) + " partitions more like the last");
            }
        });
        trend.warning().ifPresent(lines::add);
        session(lines);
        disk(lines);
        return Answer.text(200, lines.isEmpty() ? "" : String.join("\n", lines) + "\n");
    }

    private PartitionWarnings ofLoop(PartitionLoop loop) {
        PartitionWarnings found = new PartitionWarnings(lagLimitMs);
        for (PartitionHost host : loop.hosts()) {
            if (host.outOfService() != null) {
                found.outOfService(host.name().toString(), host.outOfService());
            } else if (host.replica() != null && host.replica().leads()) {
                Explanation why = host.replica().explain(loop.now());
                found.leader(host.name().toString(), why);
            }
        }
        return found;
    }

    private void session(List<String> lines) {
        long now = MonoClock.SYSTEM.now().ms();
        long longest = session.longestGapMs(now);
        if (longest > session.sessionMs() / 2) {
            lines.add("the controllers were not heard for " + longest + " ms lately, of a session of "
                    + session.sessionMs() + " ms: " + Math.max(0, session.marginMs(now)) + " ms were left");
        }
    }

    private void disk(List<String> lines) {
        try {
            FileStore volume = Files.getFileStore(directory);
            long total = volume.getTotalSpace();
            long free = volume.getUsableSpace();
            if (total > 0 && free < total * LEAST_FREE) {
                lines.add(String.format(
                        Locale.ROOT,
                        "%.1f %% of the volume of %s are free (%d MiB)",
                        100.0 * free / total,
                        directory,
                        free >> 20));
            }
        } catch (IOException e) {
            lines.add("the volume of " + directory + " cannot be asked for its space: " + e);
        }
    }
}
