package io.tidemark.broker.drill.bench;

import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.Servers;
import io.tidemark.broker.drill.Waiting;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Topics are created one after another, and in the middle the acting controller is killed. */
final class ControllerKill {
    private static final int LIMIT_S = 60;
    private static final int BEFORE = 40;
    private static final int AFTER = 40;

    private final String bootstrap;
    private final Servers servers;

    ControllerKill(String bootstrap, Servers servers) {
        this.bootstrap = bootstrap;
        this.servers = servers;
    }

    /** The longest time in ms in which no topic was created. Leaves the cluster whole. */
    double run(int controller, String prefix) {
        AtomicInteger created = new AtomicInteger();
        AtomicLong longestGap = new AtomicLong();
        AtomicBoolean measuring = new AtomicBoolean();
        AtomicBoolean stopping = new AtomicBoolean();
        try (Topics topics = new Topics(bootstrap)) {
            topics.awaitBrokers();
            CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> {
                long last = System.nanoTime();
                while (!stopping.get()) {
                    topics.create(prefix + "-" + created.get(), 1, 1, Map.of());
                    long now = System.nanoTime();
                    long gap = now - last;
                    last = now;
                    created.incrementAndGet();
                    if (measuring.get()) {
                        longestGap.accumulateAndGet(gap, Math::max);
                    }
                }
            });
            try {
                Waiting.until("topics", LIMIT_S, () -> created.get() >= BEFORE || writing.isDone());
                measuring.set(true);
                servers.signal(controller, "KILL");
                // One that was in flight may still come from the old controller: the gap ends well after it.
                int goal = created.get() + AFTER;
                Waiting.until("topics after the kill", LIMIT_S, () -> created.get() >= goal || writing.isDone());
            } finally {
                stopping.set(true);
            }
            writing.join();
        } catch (CompletionException e) {
            throw new DrillException("creating topics failed: " + e.getCause().getMessage(), e);
        }
        servers.awaitGone(controller);
        servers.start(controller);
        return longestGap.get() / 1e6;
    }
}
