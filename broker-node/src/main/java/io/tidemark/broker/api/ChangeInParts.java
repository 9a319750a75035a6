package io.tidemark.broker.api;

import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.common.protocol.Errors;

/**
 * A client's change of many partitions, each by itself: to the quorum in parts, one after another, all within the time
 * the client gave.
 *
 * @param <R> a row of the request
 */
final class ChangeInParts<R> {
    /** Rows of one command: bounds the size of an entry. */
    private static final int PART = 1_000;

    /** Hears what became of a row; a message goes with an error only. */
    interface Outcomes<R> {
        void told(R row, Errors error, String message);
    }

    private final QuorumRequest quorum;
    private final long deadline;
    private final Function<List<R>, QuorumCommand> command;
    private final Outcomes<R> outcomes;
    private final Runnable then;
    private final ArrayDeque<R> rest = new ArrayDeque<>();

    /** {@code then} follows the last outcome; both come on any thread. Less than 1 ms counts as 1. */
    ChangeInParts(
            QuorumRequest quorum,
            int timeoutMs,
            Function<List<R>, QuorumCommand> command,
            Outcomes<R> outcomes,
            Runnable then) {
        this.quorum = quorum;
        this.deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.max(1, timeoutMs));
        this.command = command;
        this.outcomes = outcomes;
        this.then = then;
    }

    void submit(List<R> rows) {
        rest.addAll(rows);
        next();
    }

    private void next() {
        if (rest.isEmpty()) {
            then.run();
            return;
        }
        List<R> part = new ArrayList<>();
        while (part.size() < PART && !rest.isEmpty()) {
            part.add(rest.poll());
        }
        int timeoutMs = (int) TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        quorum.submit(command.apply(part), timeoutMs, (answer, failure) -> {
            tell(part, answer == null ? null : answer.reply());
            next();
        });
    }

    private void tell(List<R> part, QuorumReply reply) {
        boolean rows = reply instanceof QuorumReply.Rows all && all.rows().size() == part.size();
        for (int i = 0; i < part.size(); i++) {
            Errors error = Errors.REQUEST_TIMED_OUT;
            String message = "the outcome is not known";
            if (rows) {
                QuorumReply.Rows.Row row = ((QuorumReply.Rows) reply).rows().get(i);
                error = ReplyErrors.of(row.error());
                message = error == Errors.NONE ? null : row.message();
            } else if (reply instanceof QuorumReply.Refused refused) {
                error = ReplyErrors.of(refused.error());
                message = refused.message();
            }
            outcomes.told(part.get(i), error, message);
        }
    }
}
