package io.tidemark.broker.app;

import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.model.PartitionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** All partitions that a broker hosts, each asked on its loop. What waits for an answer must not be called on a loop. */
final class AllHosts {
    private final Partitions partitions;

    AllHosts(Partitions partitions) {
        this.partitions = partitions;
    }

    /** Has the work done some time soon. */
    void post(Consumer<PartitionHost> work) {
        for (PartitionLoop loop : partitions.loops()) {
            loop.post(() -> List.copyOf(loop.hosts()).forEach(work));
        }
    }

    Map<PartitionId, Long> highWatermarks() {
        Map<PartitionId, Long> marks = new HashMap<>();
        for (PartitionLoop loop : partitions.loops()) {
            CompletableFuture<Void> collected = new CompletableFuture<>();
            loop.post(() -> {
                loop.hosts().forEach(host -> marks.put(host.id(), host.highWatermark()));
                collected.complete(null);
            });
            collected.join();
        }
        return marks;
    }

    /** Closes all logs and returns whether all were closed, or removed if that was under way, within that time. */
    boolean close(long patienceMs) {
        List<CompletableFuture<Boolean>> closed = new ArrayList<>();
        for (PartitionLoop loop : partitions.loops()) {
            CompletableFuture<List<CompletableFuture<Boolean>>> all = new CompletableFuture<>();
            loop.post(() -> {
                List<CompletableFuture<Boolean>> futures = new ArrayList<>();
                // A log that is neither closed nor gone must not pass for one that was closed.
                loop.leaving().forEach(host -> futures.add(host.whenGone()));
                for (PartitionHost host : List.copyOf(loop.hosts())) {
                    CompletableFuture<Boolean> done = new CompletableFuture<>();
                    futures.add(done);
                    host.close(done);
                }
                all.complete(futures);
            });
            closed.addAll(all.join());
        }
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMs);
        boolean allClosed = true;
        for (CompletableFuture<Boolean> done : closed) {
            long left = Math.max(0, deadline - System.nanoTime());
            allClosed &=
                    done.completeOnTimeout(false, left, TimeUnit.NANOSECONDS).join();
        }
        return allClosed;
    }
}
