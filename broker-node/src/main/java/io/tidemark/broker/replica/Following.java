package io.tidemark.broker.replica;

import io.tidemark.model.Check;
import io.tidemark.model.EpochAndOffset;
import io.tidemark.model.metadata.PartitionState;
import java.util.List;

/**
 * A replica in the role of follower, for one leader epoch.
 *
 * <pre>
 *   Fetching    --answer with records----------------&gt; Fetching at the new end (R6.11, R6.15)
 *   Fetching    --answer diverges--------------------&gt; Truncating (R6.30)
 *   Fetching    --OFFSET_OUT_OF_RANGE----------------&gt; Asking (R6.35)
 *   Fetching    --any other error--------------------&gt; Delayed until then (R6.12)
 *   Truncating  --cut and synced---------------------&gt; Fetching at the new end, next round (R6.32)
 *   Asking      --leader's end below ours------------&gt; Truncating to it
 *   Asking      --leader's start above our end-------&gt; Truncating fully, to that start
 *   Asking      --neither----------------------------&gt; Fetching
 *   Delayed     --time---------------------------------&gt; Fetching
 * </pre>
 *
 * The history of epochs explains the log (B10), so a fetch always carries the last epoch and there is no separate
 * truncating phase at the start (R6.2).
 */
final class Following {
    private enum Phase {
        FETCHING,
        TRUNCATING,
        ASKING
    }

    private final ReplicaSettings settings;
    private final LogView log;
    private final Watchers watchers;
    private final PartitionState state;
    private Phase phase = Phase.FETCHING;
    /** No fetch before this moment; monotonic milliseconds. */
    private long delayedUntilMs = FollowerProgress.NEVER;
    /** Of the last answer: a failure that goes on is told once. */
    private ReplicaError lastError = ReplicaError.NONE;
    /** The leader's mark as it last told it, -1 before, and when that was. */
    private long toldMark = -1;

    private long toldMs = FollowerProgress.NEVER;
    /** The leader's mark and start from the answer being appended; they hold once its records are written (R3.20, R3.25). */
    private long leaderMark = -1;

    private long leaderStart = -1;
    /**
     * Where to ask instead of at our end, -1 if there: the log was restarted at the base of a batch that reaches over
     * the leader's start, and the leader answers only from its start on (S29). Nothing lies between the two any more.
     */
    private long askFrom = -1;

    Following(ReplicaSettings settings, LogView log, Watchers watchers, PartitionState state) {
        this.settings = settings;
        this.log = log;
        this.watchers = watchers;
        this.state = state;
    }

    static Following start(
            ReplicaSettings settings, LogView log, Watchers watchers, PartitionState state, Effects effects) {
        effects.say(
                "follows broker %d with leader epoch %d from offset %d, partition epoch %d, high watermark %d",
                state.leader(), state.leaderEpoch(), log.end(), state.partitionEpoch(), log.highWatermark());
        effects.add(new Effect.StartFetching(state.leader(), state.leaderEpoch()));
        return new Following(settings, log, watchers, state);
    }

    /** The same epoch under newer metadata: the fetch goes on as it is (R2.43). */
    Following with(PartitionState newer) {
        Following next = new Following(settings, log, watchers, newer);
        next.phase = phase;
        next.delayedUntilMs = delayedUntilMs;
        next.lastError = lastError;
        next.toldMark = toldMark;
        next.toldMs = toldMs;
        next.leaderMark = leaderMark;
        next.leaderStart = leaderStart;
        next.askFrom = askFrom;
        return next;
    }

    PartitionState state() {
        return state;
    }

    /** What to ask the leader next, or null while it is not time to. */
    FetchPosition position(long nowMs) {
        if (phase != Phase.FETCHING || nowMs < delayedUntilMs || log.stagedEnd() != log.end()) {
            return null;
        }
        return new FetchPosition(
                state.leader(), state.leaderEpoch(), askedOffset(), log.epochs().latestEpoch(), log.logStart());
    }

    private long askedOffset() {
        return Math.max(log.end(), askFrom);
    }

    /** When a delayed fetch is due again; {@link Long#MAX_VALUE} if none is delayed. */
    long nextDeadlineMs(long nowMs) {
        return phase == Phase.FETCHING && delayedUntilMs > nowMs ? delayedUntilMs : Long.MAX_VALUE;
    }

    void fetchAnswered(ReplicaEvent.FetchAnswered answer, long nowMs, Effects effects) {
        // R6.10: only the answer to the very fetch we are waiting for, and once.
        if (phase != Phase.FETCHING
                || answer.leaderEpoch() != state.leaderEpoch()
                || answer.offset() != askedOffset()
                || log.stagedEnd() != log.end()) {
            return;
        }
        switch (answer.error()) {
            case NONE -> {
                toldMark = answer.highWatermark();
                toldMs = nowMs;
                if (answer.diverging().isUndefined()) {
                    append(answer, nowMs, effects);
                } else {
                    diverged(answer.diverging(), effects);
                }
            }
            case OFFSET_OUT_OF_RANGE -> {
                phase = Phase.ASKING;
                askFrom = -1;
                effects.add(new Effect.AskLeaderOffsets(state.leaderEpoch()));
            }
            case UNKNOWN_LEADER_EPOCH, NOT_LEADER_OR_FOLLOWER, UNKNOWN_TOPIC_ID, UNKNOWN_TOPIC_OR_PARTITION ->
                // The leader has not heard of its epoch, or of the topic, yet; it will within moments (O6).
                delayedUntilMs = nowMs + settings.fetchRetryMs();
            case FENCED_LEADER_EPOCH ->
                // Newer metadata is on its way to us and will replace this state (R6.12).
                delayedUntilMs = nowMs + settings.fetchBackoffMs();
            default -> {
                delayedUntilMs = nowMs + settings.fetchBackoffMs();
                if (answer.error() != lastError) {
                    effects.say(
                            "fetch from broker %d failed with %s, trying again every %d ms",
                            state.leader(), answer.error(), settings.fetchBackoffMs());
                }
            }
        }
        lastError = answer.error();
    }

    /** R6.15: in order, no epoch above ours, and nothing after the first such batch. */
    private void append(ReplicaEvent.FetchAnswered answer, long nowMs, Effects effects) {
        List<ReplicaEvent.FetchedBatch> batches = answer.batches();
        if (!batches.isEmpty() && batches.get(0).lastOffset() < log.stagedEnd()) {
            // Wholly below our end: whatever was asked, it was not for what comes here next. Ask anew.
            delayedUntilMs = nowMs + settings.fetchRetryMs();
            return;
        }
        int i = 0;
        while (i < batches.size() && batches.get(i).epoch() <= state.leaderEpoch()) {
            ReplicaEvent.FetchedBatch first = batches.get(i);
            if (log.stagedEnd() == log.logStart()
                    && first.baseOffset() < log.stagedEnd()
                    && first.lastOffset() >= log.stagedEnd()) {
                // Our start falls inside the leader's batch (S29): take the batch whole; the answer's log start
                // follows.
                phase = Phase.TRUNCATING;
                askFrom = log.stagedEnd();
                effects.add(new Effect.TruncateFully(
                        first.baseOffset(), "the leader's first batch starts at " + first.baseOffset()));
                return;
            }
            if (first.baseOffset() < log.stagedEnd()) {
                Check.that(i == 0, "fetched batches do not overlap", first.baseOffset(), log.stagedEnd());
                // Our end lies inside a batch of the leader's (S36): give up the part, the whole is fetched again.
                truncate(first.baseOffset(), "our end lies inside the leader's batch", effects);
                return;
            }
            int epoch = first.epoch();
            Check.that(
                    epoch >= log.epochs().latestEpoch(),
                    "epochs of a log do not decrease (B22)",
                    epoch,
                    log.epochs().latestEpoch());
            if (epoch > log.epochs().latestEpoch()) {
                log.epochs(log.epochs().assign(epoch, first.baseOffset()));
                effects.add(new Effect.PersistEpochs(log.epochs()));
            }
            int to = first.to();
            long last = first.lastOffset();
            i++;
            while (i < batches.size() && batches.get(i).epoch() == epoch) {
                ReplicaEvent.FetchedBatch next = batches.get(i++);
                Check.that(next.baseOffset() > last, "offsets of fetched batches increase", next.baseOffset(), last);
                last = next.lastOffset();
                to = next.to();
            }
            effects.add(new Effect.StageFetched(first.from(), to, epoch));
            log.stage(last + 1);
            askFrom = -1;
        }
        leaderMark = answer.highWatermark();
        leaderStart = answer.logStart();
        if (log.stagedEnd() == log.end()) {
            adoptLeaderMark(effects);
        }
    }

    void written(long end, Effects effects) {
        log.written(end);
        if (end == log.stagedEnd()) {
            adoptLeaderMark(effects);
        }
    }

    private void adoptLeaderMark(Effects effects) {
        if (leaderMark >= 0) {
            long mark = log.clamp(leaderMark);
            if (mark != log.highWatermark()) {
                log.highWatermark(mark);
                effects.add(new Effect.HighWatermarkMoved(mark));
                watchers.markMoved(effects);
            }
        }
        if (leaderStart > log.logStart() && leaderStart <= log.end()) {
            log.logStart(leaderStart);
            effects.add(new Effect.RaiseLogStart(leaderStart));
        }
        leaderMark = -1;
        leaderStart = -1;
    }

    /** R4.41: from this log, up to its own mark, which never lies above the leader's. */
    void consumerFetch(ReplicaEvent.ConsumerFetch fetch, Effects effects) {
        ReplicaError error = ReadRules.epochError(fetch.leaderEpoch(), state.leaderEpoch());
        long limit = log.highWatermark();
        if (ReadRules.readable(
                fetch.token(), error, fetch.offset(), fetch.lastFetchedEpoch(), log, log.end(), effects)) {
            effects.add(new Effect.ReadAllowed(fetch.token(), limit, limit, limit, log.logStart(), false));
        }
    }

    /** R6.30: cut back to what both logs can share; if our epoch is older than the one named, the next fetch asks again. */
    private void diverged(EpochAndOffset leader, Effects effects) {
        EpochAndOffset ours = log.epochs().endOffsetFor(leader.epoch(), log.end());
        long target;
        if (ours.isUndefined()) {
            target = Math.min(leader.offset(), log.end());
        } else if (ours.epoch() == leader.epoch()) {
            target = Math.min(Math.min(ours.offset(), leader.offset()), log.end());
        } else {
            target = Math.min(ours.offset(), log.end());
        }
        truncate(
                Math.max(target, 0),
                String.format(
                        "broker %d's log ends epoch %d at %d, ours is %s up to %d",
                        state.leader(), leader.epoch(), leader.offset(), log.epochs(), log.end()),
                effects);
    }

    void leaderOffsets(ReplicaEvent.LeaderOffsets offsets, Effects effects) {
        if (phase != Phase.ASKING || offsets.leaderEpoch() != state.leaderEpoch()) {
            return;
        }
        phase = Phase.FETCHING;
        if (offsets.latest() < log.end()) {
            truncate(
                    offsets.latest(),
                    String.format(
                            "broker %d's log ends at %d, ours at %d", state.leader(), offsets.latest(), log.end()),
                    effects);
        } else if (offsets.earliest() > log.end()) {
            phase = Phase.TRUNCATING;
            effects.add(new Effect.TruncateFully(
                    offsets.earliest(),
                    String.format(
                            "broker %d's log starts at %d, ours ends at %d",
                            state.leader(), offsets.earliest(), log.end())));
        }
    }

    private void truncate(long target, String reason, Effects effects) {
        phase = Phase.TRUNCATING;
        effects.say(
                "truncating from %d to %d%s: %s",
                log.end(),
                target,
                target < log.highWatermark() ? " (below the high watermark " + log.highWatermark() + ")" : "",
                reason);
        effects.add(new Effect.Truncate(target, reason));
    }

    /** R9.11: how far the log ends below the leader's mark as it was last told. */
    long lag() {
        return Math.max(0, toldMark - log.end());
    }

    /** B11. */
    Explanation.Followership explain(long nowMs) {
        boolean delayed = phase == Phase.FETCHING && delayedUntilMs > nowMs;
        return new Explanation.Followership(
                state.leader(),
                delayed ? Explanation.Activity.DELAYED : Explanation.Activity.valueOf(phase.name()),
                askedOffset(),
                delayed ? delayedUntilMs - nowMs : 0,
                lastError,
                toldMark,
                toldMs == FollowerProgress.NEVER ? Explanation.NEVER_MS : nowMs - toldMs);
    }

    void truncated() {
        phase = Phase.FETCHING;
    }

    void fetchFailed(int leaderEpoch, long nowMs) {
        if (leaderEpoch == state.leaderEpoch()) {
            if (phase == Phase.ASKING) {
                phase = Phase.FETCHING;
            }
            delayedUntilMs = nowMs + settings.fetchRetryMs();
        }
    }
}
