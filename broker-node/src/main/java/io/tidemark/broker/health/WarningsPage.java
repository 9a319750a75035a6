package io.tidemark.broker.health;

import io.tidemark.broker.replica.Explanation;
import io.tidemark.broker.runtime.MonoClock;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.model.health.DiskSpace;
import io.tidemark.model.health.Page;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code /warnings}: what may become a problem on this broker, a line each; none on one that is well. */
public final class WarningsPage implements Page {
    /** How long a loop may take: less than those wait who ask for the health of a cluster; milliseconds. */
    static final long PATIENCE_MS = 2_000;
    /** More of one kind are only counted. */
    private static final int MOST_OF_A_KIND = 5;

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
        ofPartitions(lines);
        lines.addAll(trend.warnings());
        session(lines);
        DiskSpace.warning(directory).ifPresent(lines::add);
        return Answer.text(200, lines.isEmpty() ? "" : String.join("\n", lines) + "\n");
    }

    private void ofPartitions(List<String> lines) {
        PartitionWarnings all = new PartitionWarnings(lagLimitMs);
        try {
            OnLoops.ask(partitions.loops(), this::ofLoop, PATIENCE_MS).forEach(all::addAll);
        } catch (IllegalStateException e) {
            lines.add("its partitions cannot be told of: " + e.getMessage());
            return;
        }
        all.kinds().forEach(kind -> {
            lines.addAll(kind.subList(0, Math.min(MOST_OF_A_KIND, kind.size())));
            if (kind.size() > MOST_OF_A_KIND) {
                lines.add("... and " + (kind.size() - MOST_OF_A_KIND) + " partitions more like the last");
            }
        });
    }

    private PartitionWarnings ofLoop(PartitionLoop loop) {
        PartitionWarnings found = new PartitionWarnings(lagLimitMs);
        for (PartitionHost host : loop.hosts()) {
            if (host.replica() != null && host.replica().leads()) {
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
}
