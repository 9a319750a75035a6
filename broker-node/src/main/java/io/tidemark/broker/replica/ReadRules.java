package io.tidemark.broker.replica;

import io.tidemark.model.EpochAndOffset;

/** Which reads a leader refuses, in the order of R4.2, R4.5 and R4.6. */
final class ReadRules {
    private ReadRules() {}

    /** R4.2: {@code asked} is the epoch the reader believes in, -1 if it does not say. */
    static ReplicaError epochError(int asked, int current) {
        if (asked < 0 || asked == current) {
            return ReplicaError.NONE;
        }
        return asked < current ? ReplicaError.FENCED_LEADER_EPOCH : ReplicaError.UNKNOWN_LEADER_EPOCH;
    }

    /** True if the read may go on; else the refusal or the divergence is among the effects. */
    static boolean readable(
            long token, ReplicaError error, long offset, int lastFetchedEpoch, LogView log, long end, Effects effects) {
        if (error != ReplicaError.NONE) {
            effects.add(new Effect.ReadRefused(token, error, -1, -1));
            return false;
        }
        if (lastFetchedEpoch >= 0) {
            EpochAndOffset found = log.epochs().endOffsetFor(lastFetchedEpoch, end);
            if (found.isUndefined() || offset < log.logStart()) {
                outOfRange(token, log, effects);
                return false;
            }
            if (found.epoch() < lastFetchedEpoch || found.offset() < offset) {
                effects.add(new Effect.ReadDiverges(
                        token, found.epoch(), found.offset(), log.highWatermark(), log.logStart()));
                return false;
            }
        }
        if (offset < log.logStart() || offset > end) {
            outOfRange(token, log, effects);
            return false;
        }
        return true;
    }

    private static void outOfRange(long token, LogView log, Effects effects) {
        effects.add(
                new Effect.ReadRefused(token, ReplicaError.OFFSET_OUT_OF_RANGE, log.highWatermark(), log.logStart()));
    }
}
