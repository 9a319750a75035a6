package io.tidemark.broker.replica;

import io.tidemark.model.Check;
import io.tidemark.model.EpochHistory;
import io.tidemark.model.MonoTime;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.PartitionState;
import java.util.List;

/**
 * One replica of one partition: a state machine from (state, event, now) to (state, effects). No I/O, thread or clock.
 *
 * <pre>
 *   Idle       --metadata: leader is self-------&gt; Leading    (R2.41)
 *   Idle       --metadata: leader is another----&gt; Following  (R2.43)
 *   Leading    --newer LE, leader is self-------&gt; Leading of that epoch; produce waiters get NOT_LEADER (O15)
 *   Leading    --newer LE, leader is another----&gt; Following
 *   Following  --newer LE, leader is self-------&gt; Leading
 *   any        --newer LE, no leader------------&gt; Idle
 *   any        --PE lower than known------------&gt; unchanged  (R2.40)
 * </pre>
 */
public final class Replica {
    private final PartitionId id;
    private final ReplicaSettings settings;
    private final LogView log;
    private final Watchers watchers = new Watchers();
    /** Last metadata applied, null before the first. */
    private PartitionState state;

    private long appliedIndex = -1;
    /** At most one of these two is set. */
    private Leading leading;

    private Following following;

    /** A replica over a log as recovery left it; the mark is the checkpointed one (R3.16). */
    public Replica(
            PartitionId id,
            ReplicaSettings settings,
            long logStart,
            long logEnd,
            long highWatermark,
            EpochHistory epochs) {
        this.id = id;
        this.settings = settings;
        this.log = new LogView(logStart, logEnd, highWatermark, epochs);
    }

    public Effects step(MonoTime time, ReplicaEvent event) {
        long now = time.ms();
        Effects effects = new Effects();
        if (event instanceof ReplicaEvent.ProduceRequested produce) {
            if (leading == null) {
                effects.add(
                        new Effect.ProduceAnswered(produce.token(), ReplicaError.NOT_LEADER_OR_FOLLOWER, -1, -1, null));
            } else {
                leading.produce(produce, now, effects);
            }
        } else if (event instanceof ReplicaEvent.Written written) {
            written(written.end(), now, effects);
        } else if (event instanceof ReplicaEvent.FollowerFetch fetch) {
            if (leading == null) {
                refuseRead(fetch.token(), fetch.leaderEpoch(), effects);
            } else {
                leading.followerFetch(fetch, now, effects);
            }
        } else if (event instanceof ReplicaEvent.ConsumerFetch fetch) {
            consumerFetch(fetch, now, effects);
        } else if (event instanceof ReplicaEvent.FetchAnswered answer) {
            if (following != null) {
                following.fetchAnswered(answer, now, effects);
            }
        } else if (event instanceof ReplicaEvent.Tick) {
            if (leading != null) {
                leading.tick(now, effects);
            }
        } else if (event instanceof ReplicaEvent.Watch watch) {
            watchers.add(watch.watcher(), watch.follower());
        } else if (event instanceof ReplicaEvent.Unwatch unwatch) {
            watchers.remove(unwatch.watcher());
        } else {
            rare(event, now, effects);
        }
        return effects;
    }

    /** R4.3. */
    private void consumerFetch(ReplicaEvent.ConsumerFetch fetch, long now, Effects effects) {
        if (leading != null) {
            leading.consumerFetch(fetch, now, effects);
        } else if (following != null && fetch.anyReplica()) {
            following.consumerFetch(fetch, effects);
        } else {
            refuseRead(fetch.token(), fetch.leaderEpoch(), effects);
        }
    }

    private void rare(ReplicaEvent event, long now, Effects effects) {
        if (event instanceof ReplicaEvent.MetadataChanged changed) {
            metadata(changed, now, effects);
        } else if (event instanceof ReplicaEvent.EligibilityChanged changed) {
            appliedIndex = Math.max(appliedIndex, changed.index());
            if (leading != null) {
                leading.eligibility(changed.brokers(), changed.index(), now, effects);
            }
        } else if (event instanceof ReplicaEvent.FeedReached reached) {
            appliedIndex = Math.max(appliedIndex, reached.index());
            if (leading != null) {
                leading.feedReached(reached.index(), now, effects);
            }
        } else if (event instanceof ReplicaEvent.AlterAnswered answer) {
            if (leading != null) {
                leading.alterAnswered(answer, now, effects);
            }
        } else if (event instanceof ReplicaEvent.AlterUnknown unknown) {
            if (leading != null) {
                leading.alterUnknown(unknown.proposal(), now);
            }
        } else if (event instanceof ReplicaEvent.LogTruncated truncated) {
            log.truncated(truncated.logStart(), truncated.end(), truncated.epochs());
            if (following != null) {
                following.truncated();
            }
            effects.add(new Effect.HighWatermarkMoved(log.highWatermark()));
        } else if (event instanceof ReplicaEvent.LogStartMoved moved) {
            log.logStart(moved.logStart());
        } else if (event instanceof ReplicaEvent.LeaderOffsets offsets) {
            if (following != null) {
                following.leaderOffsets(offsets, effects);
            }
        } else if (event instanceof ReplicaEvent.FetchFailed failed) {
            if (following != null) {
                following.fetchFailed(failed.leaderEpoch(), now);
            }
        } else if (event instanceof ReplicaEvent.OffsetQuery query) {
            if (leading == null) {
                effects.add(new Effect.OffsetFound(query.token(), notLeading(query.leaderEpoch()), -1, -1));
            } else {
                leading.offsetQuery(query, now, effects);
            }
        } else if (event instanceof ReplicaEvent.EpochQuery query) {
            if (leading == null) {
                effects.add(new Effect.EpochFound(query.token(), notLeading(query.leaderEpoch()), -1, -1));
            } else {
                leading.epochQuery(query, effects);
            }
        } else if (event instanceof ReplicaEvent.RecordsGivenUp request) {
            if (leading == null) {
                effects.add(new Effect.RecordsDeleted(request.token(), ReplicaError.NOT_LEADER_OR_FOLLOWER, -1));
            } else {
                leading.giveUp(request, now, effects);
            }
        } else if (event instanceof ReplicaEvent.SessionLeft left) {
            if (leading != null) {
                leading.sessionLeft(left.clock());
            }
        } else if (event instanceof ReplicaEvent.LeaseRanOut) {
            if (leading != null) {
                leading.leaseRanOut(now, effects);
            }
        } else if (event instanceof ReplicaEvent.Removed) {
            removed(effects);
        } else {
            throw new Check.Violation("no rule for " + event);
        }
    }

    private void metadata(ReplicaEvent.MetadataChanged changed, long now, Effects effects) {
        PartitionState newer = changed.state();
        if (state != null && newer.partitionEpoch() < state.partitionEpoch()) {
            return;
        }
        PartitionState before = state;
        boolean newEpoch = state == null || newer.leaderEpoch() > state.leaderEpoch();
        Check.that(
                state == null || newer.leaderEpoch() >= state.leaderEpoch(),
                "leader epochs do not decrease (I6): %s after %s",
                newer,
                state);
        state = newer;
        appliedIndex = Math.max(appliedIndex, changed.index());
        if (newEpoch) {
            newLeaderEpoch(changed, now, effects);
        } else if (leading != null) {
            leading.metadata(newer, changed.brokers(), changed.index(), now, effects);
        } else if (following != null) {
            following = following.with(newer);
        }
        if (leading != null && before != null) {
            tellIsrChange(before.isr(), newer.isr(), effects);
        }
    }

    /** R9.10: by whomever the change was asked for; a broker that dies is let go by the controllers. */
    private static void tellIsrChange(List<Integer> before, List<Integer> after, Effects effects) {
        if (before.equals(after)) {
            return;
        }
        if (!after.containsAll(before)) {
            effects.add(new Effect.Happened(Effect.Happening.ISR_SHRANK));
        }
        if (!before.containsAll(after)) {
            effects.add(new Effect.Happened(Effect.Happening.ISR_EXPANDED));
        }
    }

    private void newLeaderEpoch(ReplicaEvent.MetadataChanged changed, long now, Effects effects) {
        Leading before = leading;
        if (leading != null) {
            leading.resign(effects);
            leading = null;
        }
        if (following != null) {
            following = null;
            effects.add(new Effect.StopFetching());
        }
        if (state.leader() == settings.self()) {
            leading = Leading.assume(
                    settings, log, watchers, state, changed.brokers(), changed.index(), before, now, effects);
        } else if (state.hasLeader()) {
            following = Following.start(settings, log, watchers, state, effects);
        } else {
            effects.say(
                    "has no leader, leader epoch %d, partition epoch %d, ISR %s, ELR %s",
                    state.leaderEpoch(), state.partitionEpoch(), state.isr(), state.elr());
        }
        watchers.allChanged(effects);
    }

    private void removed(Effects effects) {
        if (leading != null) {
            leading.resign(effects);
            leading = null;
        }
        if (following != null) {
            following = null;
            effects.add(new Effect.StopFetching());
        }
        watchers.allChanged(effects);
    }

    private void written(long end, long now, Effects effects) {
        if (leading != null) {
            leading.written(end, now, effects);
        } else if (following != null) {
            following.written(end, effects);
        } else {
            log.written(end);
        }
    }

    private void refuseRead(long token, int askedEpoch, Effects effects) {
        effects.add(new Effect.ReadRefused(token, notLeading(askedEpoch), -1, -1));
    }

    /** R4.2 before R4.3: a wrong epoch is said first, so that the reader knows which of us is behind. */
    private ReplicaError notLeading(int askedEpoch) {
        ReplicaError error = state == null ? ReplicaError.NONE : ReadRules.epochError(askedEpoch, state.leaderEpoch());
        return error == ReplicaError.NONE ? ReplicaError.NOT_LEADER_OR_FOLLOWER : error;
    }

    /** When {@link ReplicaEvent.Tick} is due; {@link Long#MAX_VALUE} if nothing waits for time. */
    public long nextDeadlineMs(MonoTime now) {
        return leading != null ? leading.nextDeadlineMs(now.ms()) : Long.MAX_VALUE;
    }

    /** What to ask the leader next; null if this replica does not follow, or not now. */
    public FetchPosition fetchPosition(MonoTime now) {
        return following == null ? null : following.position(now.ms());
    }

    /** R4.23: a follower outside the ISR may be held to a rate. */
    public boolean fetchMayWait() {
        return following != null && !state.isr().contains(settings.self());
    }

    /** When a delayed fetch becomes due, {@link Long#MAX_VALUE} if none is delayed. */
    public long fetchDeadlineMs(MonoTime now) {
        return following == null ? Long.MAX_VALUE : following.nextDeadlineMs(now.ms());
    }

    public PartitionId id() {
        return id;
    }

    /** Last metadata applied; null before the first. */
    public PartitionState state() {
        return state;
    }

    public boolean leads() {
        return leading != null;
    }

    public boolean follows() {
        return following != null;
    }

    public long logStart() {
        return log.logStart();
    }

    public long logEnd() {
        return log.end();
    }

    /** Next offset to be assigned: the end once everything staged is written. */
    public long stagedEnd() {
        return log.stagedEnd();
    }

    public long highWatermark() {
        return log.highWatermark();
    }

    public EpochHistory epochs() {
        return log.epochs();
    }

    /** The leader's ISR state in words, for status and tests; "" if this replica does not lead. */
    public String isrState() {
        return leading == null ? "" : leading.isr().toString();
    }

    /** Whether a change of the ISR is under way, so that {@link ReplicaEvent.FeedReached} matters. */
    public boolean changePending() {
        return leading != null && leading.isr().proposal() != null;
    }

    /** R3.22: whether a client's look-up beyond the mark must be told that the offset is not available yet. */
    public boolean markBehindEpochStart() {
        return leading != null && leading.markBehindEpochStart();
    }

    /** Whether a reassignment has added this replica and is not complete. */
    public boolean isAdded() {
        return state != null && state.adding().contains(settings.self());
    }

    /** R9.11: how far a follower is below its leader's mark, as that was last told; 0 for any other. */
    public long followerLag() {
        return following == null ? 0 : following.lag();
    }

    /** B11. A pure look: nothing changes by it. */
    public Explanation explain(MonoTime now) {
        return new Explanation(
                settings.self(),
                state,
                log.logStart(),
                log.end(),
                log.highWatermark(),
                leading == null ? null : leading.explain(now.ms()),
                following == null ? null : following.explain(now.ms()));
    }

    /** Null unless this replica leads. */
    Leading leading() {
        return leading;
    }

    IsrState isr() {
        return leading == null ? null : leading.isr();
    }
}
