package io.tidemark.broker.health;

import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Asks the loops from a thread that may wait. */
final class OnLoops {
    private static final long PATIENCE_MS = 5_000;

    private OnLoops() {}

    /** What each loop answers, in order. Throws IllegalStateException if one does not come to it in time. */
    static <T> List<T> ask(Partitions partitions, Function<PartitionLoop, T> question) {
        return ask(partitions.loops(), question, PATIENCE_MS);
    }

    /** The same, with null for a loop that does not come to it in time. */
    static <T> List<T> askThoseThatTurn(
            List<PartitionLoop> loops, Function<PartitionLoop, T> question, long patienceMs) {
        return ask(loops, question, patienceMs, silent -> null);
    }

    static <T> List<T> ask(List<PartitionLoop> loops, Function<PartitionLoop, T> question, long patienceMs) {
        return ask(loops, question, patienceMs, silent -> {
            throw new IllegalStateException("a loop has not turned for " + patienceMs + " ms", silent);
        });
    }

    private static <T> List<T> ask(
            List<PartitionLoop> loops,
            Function<PartitionLoop, T> question,
            long patienceMs,
            Function<TimeoutException, T> ifSilent) {
        List<CompletableFuture<T>> asked = new ArrayList<>();
        for (PartitionLoop loop : loops) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            asked.add(answer);
            loop.post(() -> {
                try {
                    answer.complete(question.apply(loop));
                } catch (RuntimeException e) {
                    answer.completeExceptionally(e);
                }
            });
        }
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMs);
        List<T> answers = new ArrayList<>();
        for (CompletableFuture<T> answer : asked) {
            answers.add(await(answer, deadlineNs, ifSilent));
        }
        return answers;
    }

    private static <T> T await(CompletableFuture<T> answer, long deadlineNs, Function<TimeoutException, T> ifSilent) {
        try {
            return answer.get(Math.max(0, deadlineNs - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a loop cannot answer: " + e.getCause(), e);
        } catch (TimeoutException e) {
            return ifSilent.apply(e);
        }
    }
}
