package io.tidemark.broker.replica;

import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.PartitionState;
import java.util.List;

/**
 * Why a partition stands as it does, as one of its replicas knows it (B11). A value made on request; all ages are
 * milliseconds of the monotonic clock, and {@link #NEVER_MS} where there was no such moment.
 *
 * @param state last metadata applied; null before the first
 * @param leadership what the leader knows; null unless this replica leads
 * @param followership what a follower knows; null unless this replica follows
 */
public record Explanation(
        int broker,
        PartitionState state,
        long logStart,
        long logEnd,
        long highWatermark,
        Leadership leadership,
        Followership followership) {

    /** Stands for an age where the moment never was. */
    public static final long NEVER_MS = -1;

    public Explanation {
        // A replica has at most one of the two roles.
        if (leadership != null && followership != null) {
            throw new IllegalArgumentException("leads and follows");
        }
    }

    /**
     * @param epochStart where this leader epoch began in the log
     * @param committedIsr as the metadata has it
     * @param servesClients whether reads and acks 0 and 1 are answered (B6)
     * @param pending the change of the ISR that is under way, or null
     * @param refusal the last answer of the controllers in this leader epoch that was a refusal, or null
     */
    public record Leadership(
            long epochStart,
            List<Integer> committedIsr,
            boolean servesClients,
            Mark mark,
            List<Follower> followers,
            Pending pending,
            Refusal refusal) {
        public Leadership {
            committedIsr = List.copyOf(committedIsr);
            followers = List.copyOf(followers);
        }
    }

    /** What keeps the high watermark from rising. */
    public enum Hold {
        /** Nothing does: all that is written is below it. */
        NOTHING,
        /** The committed ISR is smaller than the min ISR (R3.7). */
        BELOW_MIN_ISR,
        /** The controllers were told how far it can have come; it stays there until the partition epoch moves (B1). */
        REPORTED,
        /** A follower that counts has not fetched further (R3.1, R3.2). */
        FOLLOWER
    }

    /**
     * @param standsForMs since when records lie above the mark and it has not moved; {@link #NEVER_MS} if none do
     * @param holders the followers that hold it, if {@link Hold#FOLLOWER}: those of the maximal ISR, and those that wait to
     *     join and keep up, that have fetched least
     */
    public record Mark(Hold hold, long standsForMs, List<Integer> holders) {
        public Mark {
            holders = List.copyOf(holders);
        }
    }

    /** Why a replica is not in the ISR; one reason, the first that applies. */
    public enum Absence {
        /** It is in the ISR. */
        NONE,
        /** No broker of that id is registered. */
        NOT_REGISTERED,
        /** Its broker is fenced or shutting down (R2.12). */
        NOT_ACTIVE,
        /** It has not fetched since this leader began. */
        NEVER_FETCHED,
        /** What fetched last is an earlier incarnation of its broker (R2.12). */
        OLD_INCARNATION,
        /** It has not fetched within the lag limit (B14). */
        SILENT,
        /** It has not reached the high watermark (R2.11). */
        BELOW_MARK,
        /** It has not reached the start of this leader epoch (R2.13). */
        BELOW_EPOCH_START,
        /** The controllers refused it; it is proposed again later (O21). */
        REFUSED,
        /** The change that takes it in is under way. */
        JOINING,
        /** Another change of the ISR is under way and comes first. */
        OTHER_CHANGE_FIRST,
        /** Nothing any more: it is proposed with the next event. */
        ABOUT_TO_JOIN
    }

    /**
     * Another replica as its leader knows it.
     *
     * @param holdsMark whether the mark waits for it: it is in the maximal ISR, or keeps up and waits to join
     * @param end its log end, -1 if unknown
     * @param caughtUpAgoMs since it last had all that the leader had
     * @param heardAgoMs since its session last fetched, whatever it named
     * @param leavesInMs of a member that is behind: when it leaves the ISR unless it catches up, negative if overdue;
     *     {@link Long#MAX_VALUE} if it is not behind
     * @param retryInMs when a refused one is proposed again; 0 without a refusal
     */
    public record Follower(
            int broker,
            boolean inIsr,
            boolean holdsMark,
            long end,
            long caughtUpAgoMs,
            long heardAgoMs,
            Absence absence,
            long leavesInMs,
            long retryInMs) {}

    /** The kinds of change that a leader asks for. */
    public enum Change {
        EXPAND,
        SHRINK,
        /** Word of how far the high watermark can have come, below min ISR (B1). */
        REPORT,
        /** The committed ISR again, so that an unanswered attempt is void (B9). */
        CANCEL
    }

    /**
     * A change of the ISR that has no effect yet.
     *
     * @param brokers those that join or leave
     * @param proposed the ISR asked for
     * @param ageMs since it was first sent
     * @param accepted the controllers have accepted it, and this broker's metadata has not reached that yet (B3)
     * @param unknownAttempt an attempt ended without an answer and may still take effect (B9)
     * @param resendInMs when it is sent again; {@link #NEVER_MS} while an attempt is out
     */
    public record Pending(
            Change change,
            List<Integer> brokers,
            List<Integer> proposed,
            String reason,
            long ageMs,
            boolean accepted,
            boolean unknownAttempt,
            long resendInMs) {
        public Pending {
            brokers = List.copyOf(brokers);
            proposed = List.copyOf(proposed);
        }
    }

    /** The controllers refused a change of the ISR. */
    public record Refusal(ErrorCode error, List<Integer> proposed, String reason, long agoMs) {
        public Refusal {
            proposed = List.copyOf(proposed);
        }
    }

    /** What a follower does. */
    public enum Activity {
        FETCHING,
        /** Cutting its log back to what the leader's has. */
        TRUNCATING,
        /** Asking the leader where its log starts and ends. */
        ASKING,
        /** Waiting until it may fetch again. */
        DELAYED
    }

    /**
     * @param fetchOffset where it fetches from
     * @param delayedForMs of {@link Activity#DELAYED}; else 0
     * @param lastError of the last answer
     * @param leaderMark the leader's high watermark as last told, -1 before
     * @param toldAgoMs since the leader last said something new of this partition
     */
    public record Followership(
            int leader,
            Activity activity,
            long fetchOffset,
            long delayedForMs,
            ReplicaError lastError,
            long leaderMark,
            long toldAgoMs) {}
}
