package io.tidemark.broker.api;

import io.tidemark.broker.runtime.QuorumPort;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * Producer ids that nobody had before, from blocks that the quorum gave to this broker. The next block is asked for when
 * a tenth of the current one is left. Ids of a block that is not used up when the broker stops are never used. Any
 * thread.
 */
final class ProducerIdSource {
    private static final int FEW = 100;

    private final QuorumPort quorum;
    private final int brokerId;
    private final LongSupplier brokerEpoch;
    private final Queue<CompletableFuture<Long>> waiting = new ArrayDeque<>();
    private long next;
    private long end;
    private long nextBlock;
    private long nextBlockEnd;
    private boolean asking;

    ProducerIdSource(QuorumPort quorum, int brokerId, LongSupplier brokerEpoch) {
        this.quorum = quorum;
        this.brokerId = brokerId;
        this.brokerEpoch = brokerEpoch;
    }

    /** The next id; fails if the quorum does not give a block. The next call tries again. */
    CompletionStage<Long> next() {
        CompletableFuture<Long> result = new CompletableFuture<>();
        long id = -1;
        boolean ask;
        synchronized (this) {
            if (available()) {
                id = next++;
            } else {
                waiting.add(result);
            }
            ask = !asking && end - next < FEW && nextBlock == nextBlockEnd;
            asking |= ask;
        }
        if (id >= 0) {
            result.complete(id);
        }
        if (ask) {
            ask();
        }
        return result;
    }

    private boolean available() {
        if (next == end && nextBlock < nextBlockEnd) {
            next = nextBlock;
            end = nextBlockEnd;
            nextBlock = nextBlockEnd;
        }
        return next < end;
    }

    private void ask() {
        quorum.submit(new QuorumCommand.AllocateProducerIds(brokerId, brokerEpoch.getAsLong()))
                .whenComplete((answer, failure) -> {
                    if (failure == null && answer.reply() instanceof QuorumReply.ProducerIds block) {
                        received(block);
                    } else {
                        failed(failure == null ? new IllegalStateException("no ids: " + answer.reply()) : failure);
                    }
                });
    }

    private void received(QuorumReply.ProducerIds block) {
        List<Runnable> answers = new ArrayList<>();
        boolean more;
        synchronized (this) {
            asking = false;
            nextBlock = block.first();
            nextBlockEnd = block.first() + block.count();
            while (!waiting.isEmpty() && available()) {
                CompletableFuture<Long> waiter = waiting.poll();
                long id = next++;
                answers.add(() -> waiter.complete(id));
            }
            more = !waiting.isEmpty();
            asking = more;
        }
        answers.forEach(Runnable::run);
        if (more) {
            ask();
        }
    }

    private void failed(Throwable failure) {
        List<CompletableFuture<Long>> disappointed;
        synchronized (this) {
            asking = false;
            disappointed = new ArrayList<>(waiting);
            waiting.clear();
        }
        disappointed.forEach(waiter -> waiter.completeExceptionally(failure));
    }
}
