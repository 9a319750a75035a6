package io.tidemark.quorum.ratis;

import io.tidemark.model.metadata.QuorumQuery.Member;
import java.util.Map;
import java.util.TreeMap;

/**
 * How far those who follow the metadata log have come, as the acting controller of one term sees them: each look at a
 * member is compared with where the log ended now and at the look before.
 */
final class MemberProgress {
    /** What was seen of one member, and the end of the log at that moment. */
    private record Look(long atMs, long memberEnd, long logEnd, long caughtUpMs) {}

    private final Map<Integer, Look> last = new TreeMap<>();
    private long term = -1;

    /** What is known belongs to the term in which it was seen. */
    private void in(long currentTerm) {
        if (currentTerm != term) {
            term = currentTerm;
            last.clear();
        }
    }

    /**
     * A member had everything up to {@code memberEnd} at {@code atMs}, when the log ended with {@code logEnd}. If that
     * was all there is, it is caught up; if it was all there was at the last look, it was caught up then.
     */
    synchronized void seen(long currentTerm, int id, long memberEnd, long logEnd, long atMs) {
        in(currentTerm);
        Look before = last.get(id);
        long caughtUp = before == null ? -1 : before.caughtUpMs();
        if (memberEnd >= logEnd) {
            caughtUp = atMs;
        } else if (before != null && memberEnd >= before.logEnd()) {
            caughtUp = Math.max(caughtUp, before.atMs());
        }
        last.put(id, new Look(atMs, memberEnd, logEnd, caughtUp));
    }

    /** What is known of one; of a member not seen in this term nothing is. */
    synchronized Member member(long currentTerm, int id, String address) {
        in(currentTerm);
        Look look = last.get(id);
        return look == null
                ? new Member(id, address, -1, -1, -1)
                : new Member(id, address, look.memberEnd(), look.atMs(), look.caughtUpMs());
    }

    /** Whether it was seen in this term. */
    synchronized boolean knows(long currentTerm, int id) {
        in(currentTerm);
        return last.containsKey(id);
    }
}
