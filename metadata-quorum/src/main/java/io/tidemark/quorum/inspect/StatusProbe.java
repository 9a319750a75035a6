package io.tidemark.quorum.inspect;

import io.tidemark.model.codec.QueryCodec;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.metadata.QuorumQuery;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Asks every controller of a quorum how it stands, all at once and each for a bounded time. */
public final class StatusProbe {
    /** How long one controller may take, milliseconds. */
    public static final long TIMEOUT_MS = 8_000;

    /** How long a fresh process may take to load what it asks with: on a machine that is busy, longer than an answer. */
    private static final long LOADING_MS = 30_000;

    private StatusProbe() {}

    /**
     * @param answer null if the controller did not give one
     * @param problem why not, in words; null with an answer
     */
    public record Result(QuorumVoter controller, QuorumQuery.StatusAnswer answer, String problem) {}

    /** One result per controller, in the order given. */
    public static List<Result> ask(List<QuorumVoter> controllers, String clusterId, QuorumRpc rpc)
            throws InterruptedException {
        return ask(controllers, clusterId, rpc, TIMEOUT_MS);
    }

    /** @param timeoutMs how long one controller may take, milliseconds, from when all can be asked */
    public static List<Result> ask(List<QuorumVoter> controllers, String clusterId, QuorumRpc rpc, long timeoutMs)
            throws InterruptedException {
        ExecutorService threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "status");
            thread.setDaemon(true);
            return thread;
        });
        try {
            CountDownLatch clients = new CountDownLatch(controllers.size());
            List<Future<QuorumQuery.StatusAnswer>> asked = new ArrayList<>();
            for (QuorumVoter controller : controllers) {
                asked.add(threads.submit(() -> askOne(controller, controllers, clusterId, rpc, timeoutMs, clients)));
            }
            boolean loaded = clients.await(LOADING_MS, TimeUnit.MILLISECONDS);
            long deadline = System.nanoTime() + (loaded ? TimeUnit.MILLISECONDS.toNanos(timeoutMs) : 0);
            List<Result> results = new ArrayList<>();
            for (int i = 0; i < controllers.size(); i++) {
                results.add(await(controllers.get(i), asked.get(i), deadline, timeoutMs));
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    private static Result await(
            QuorumVoter controller, Future<QuorumQuery.StatusAnswer> answer, long deadline, long timeoutMs)
            throws InterruptedException {
        try {
            long left = Math.max(0, deadline - System.nanoTime());
            return new Result(controller, answer.get(left, TimeUnit.NANOSECONDS), null);
        } catch (ExecutionException e) {
            return new Result(controller, null, ControllerClient.firstLine(e.getCause()));
        } catch (TimeoutException e) {
            return new Result(controller, null, "no answer within " + timeoutMs + " ms");
        }
    }

    private static QuorumQuery.StatusAnswer askOne(
            QuorumVoter controller,
            List<QuorumVoter> all,
            String clusterId,
            QuorumRpc rpc,
            long timeoutMs,
            CountDownLatch clients)
            throws IOException {
        try (ControllerClient client = counted(controller, all, clusterId, rpc, timeoutMs, clients)) {
            return QueryCodec.decodeStatus(client.ask(new QuorumQuery.Status()));
        }
    }

    private static ControllerClient counted(
            QuorumVoter controller,
            List<QuorumVoter> all,
            String clusterId,
            QuorumRpc rpc,
            long timeoutMs,
            CountDownLatch clients) {
        try {
            return new ControllerClient(controller, all, clusterId, rpc, timeoutMs);
        } finally {
            clients.countDown();
        }
    }
}
