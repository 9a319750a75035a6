package io.tidemark.broker.api;

import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.common.protocol.Errors;

/**
 * One request that changes topics or their configuration, row by row: what can be refused without looking at the cluster is refused here and
 * never becomes an entry of the metadata log; the other rows go to the quorum as one command.
 *
 * @param <T> a row that goes to the quorum
 */
final class TopicChange<T> {
    /** Partitions or topics that one request may touch: bounds the size of an entry and the work on the leader. */
    static final int MAX_PER_REQUEST = 10_000;

    /** What became of one row; {@code partitions} and {@code replicationFactor} are -1 if unknown. */
    record Outcome(String name, TopicId topicId, int partitions, int replicationFactor, Errors error, String message) {
        /** Nothing is known but the error, which may be NONE. */
        static Outcome refused(String name, TopicId topicId, Errors error, String message) {
            return new Outcome(name, topicId, -1, -1, error, message);
        }
    }

    /** What is named more than once, which no row says what to do about. */
    static <N> Set<N> repeated(Collection<N> names) {
        Set<N> seen = new HashSet<>();
        return names.stream().filter(name -> !seen.add(name)).collect(Collectors.toSet());
    }

    private final List<Outcome> outcomes = new ArrayList<>();
    private final List<T> submitted = new ArrayList<>();
    /** For each of {@link #submitted} its index in {@link #outcomes}, where a row stands that only names it. */
    private final List<Integer> places = new ArrayList<>();

    /** The next row is refused. */
    void refuse(String name, TopicId topicId, Errors error, String message) {
        outcomes.add(Outcome.refused(name, topicId, error, message));
    }

    /** The next row is for the quorum. */
    void ask(String name, TopicId topicId, T row) {
        places.add(outcomes.size());
        submitted.add(row);
        outcomes.add(Outcome.refused(name, topicId, Errors.REQUEST_TIMED_OUT, "the outcome is not known"));
    }

    /** Refuses every row that was for the quorum. */
    void refuseAll(Errors error, String message) {
        for (int place : places) {
            Outcome named = outcomes.get(place);
            outcomes.set(place, Outcome.refused(named.name(), named.topicId(), error, message));
        }
        submitted.clear();
        places.clear();
    }

    /** Asks the quorum if there is anything to ask, then hands on one outcome per row in request order, on any thread. */
    void submit(
            QuorumRequest quorum,
            int timeoutMs,
            Function<List<T>, QuorumCommand> command,
            Consumer<List<Outcome>> then) {
        if (submitted.isEmpty()) {
            then.accept(outcomes);
            return;
        }
        quorum.submit(command.apply(List.copyOf(submitted)), timeoutMs, (answer, failure) -> {
            if (answer != null) {
                settle(answer.reply());
            }
            then.accept(outcomes);
        });
    }

    private void settle(QuorumReply reply) {
        if (reply instanceof QuorumReply.Topics topics && topics.results().size() == places.size()) {
            for (int i = 0; i < places.size(); i++) {
                outcomes.set(places.get(i), outcome(topics.results().get(i)));
            }
        } else if (reply instanceof QuorumReply.Rows rows && rows.rows().size() == places.size()) {
            for (int i = 0; i < places.size(); i++) {
                QuorumReply.Rows.Row row = rows.rows().get(i);
                Outcome named = outcomes.get(places.get(i));
                String message = row.error() == ErrorCode.NONE ? null : row.message();
                outcomes.set(
                        places.get(i),
                        Outcome.refused(named.name(), named.topicId(), ReplyErrors.of(row.error()), message));
            }
        } else if (reply instanceof QuorumReply.Refused refused) {
            refuseAll(ReplyErrors.of(refused.error()), refused.message());
        } else {
            refuseAll(Errors.UNKNOWN_SERVER_ERROR, "the controller's answer does not fit the request");
        }
    }

    private static Outcome outcome(QuorumReply.Topics.Result result) {
        return new Outcome(
                result.name(),
                result.topicId(),
                result.partitions(),
                result.replicationFactor(),
                ReplyErrors.of(result.error()),
                result.error() == ErrorCode.NONE ? null : result.message());
    }
}
