package io.tidemark.broker.replica;

import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import java.util.HashMap;
import java.util.Map;

/** What the controllers refused in one leader epoch: the last of it (B11), and who is not proposed again yet (O21). */
final class Refusals {
    /** Until when a joiner that was refused is not proposed again; monotonic milliseconds. */
    private final Map<Integer, Long> untilMs = new HashMap<>();

    private QuorumCommand.IsrProposal lastRequest;
    private ErrorCode lastError;
    private long lastMs;

    void noted(QuorumCommand.IsrProposal request, ErrorCode error, long nowMs) {
        lastRequest = request;
        lastError = error;
        lastMs = nowMs;
    }

    void bar(int joiner, long until) {
        untilMs.put(joiner, until);
    }

    /** Who is eligible may have changed: everybody may be proposed again. */
    void clear() {
        untilMs.clear();
    }

    boolean bars(int joiner, long nowMs) {
        return untilMs.getOrDefault(joiner, FollowerProgress.NEVER) > nowMs;
    }

    /** How long yet; 0 if not barred. */
    long barredForMs(int joiner, long nowMs) {
        return Math.max(0, untilMs.getOrDefault(joiner, FollowerProgress.NEVER) - nowMs);
    }

    /** The earliest moment after {@code nowMs} at which somebody may be proposed again, {@link Long#MAX_VALUE} if none. */
    long nextMs(long nowMs) {
        long next = Long.MAX_VALUE;
        for (long until : untilMs.values()) {
            if (until > nowMs) {
                next = Math.min(next, until);
            }
        }
        return next;
    }

    /** Null if nothing was refused. */
    Explanation.Refusal last(long nowMs) {
        return lastRequest == null
                ? null
                : new Explanation.Refusal(
                        lastError, Proposal.members(lastRequest), lastRequest.reason(), nowMs - lastMs);
    }
}
