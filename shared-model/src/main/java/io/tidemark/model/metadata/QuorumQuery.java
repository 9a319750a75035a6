package io.tidemark.model.metadata;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Reads of a controller that write nothing to the log, with their answers. */
public sealed interface QuorumQuery {
    /**
     * A broker's sign of life to the acting controller (R7.10), answered at once from its applied image.
     *
     * @param metadataIndex last entry the broker has applied
     */
    record Heartbeat(int brokerId, long brokerEpoch, long metadataIndex, boolean wantFence, boolean wantShutDown)
            implements QuorumQuery {}

    /**
     * @param term of the controller that answered
     * @param caughtUp whether the broker has applied its own registration
     * @param shouldShutDown grants the stop (R7.11)
     * @param metadataIndex last entry that the controller has applied; 0 from one of a version that does not say
     */
    record HeartbeatAnswer(
            ErrorCode error, long term, boolean caughtUp, boolean fenced, boolean shouldShutDown, long metadataIndex) {}

    /**
     * Long poll for entries from {@code nextIndex} on, to any controller. Index gaps are normal.
     *
     * @param waitMs how long to wait for a newer entry, 0..10000
     * @param maxBytes bound of the entries in one answer; at least one entry is returned if there is one
     * @param knownQuorum {@link QuorumIdentity#key} of what the caller knows, or one of the constants
     */
    record Poll(long nextIndex, int waitMs, int maxBytes, long knownQuorum) implements QuorumQuery {
        /** The caller does not want to be told. */
        public static final long NO_QUORUM = 0;

        /** The caller was told nothing yet. */
        public static final long ANY_QUORUM = 1;

        /** Without a word on what the quorum is. */
        public Poll(long nextIndex, int waitMs, int maxBytes) {
            this(nextIndex, waitMs, maxBytes, NO_QUORUM);
        }
    }

    /**
     * @param image set if the position is too old: fold on from here; else null
     * @param entries in order, each with its index
     * @param nextIndex ask for this next; entries below it are all in the image or the list
     * @param leaderId acting controller as this one knows it, -1 if unknown
     * @param quorum what the quorum is, if the caller knows it otherwise; else null
     */
    record PollAnswer(
            ClusterImage image, List<IndexedEntry> entries, long nextIndex, int leaderId, QuorumIdentity quorum) {
        public PollAnswer(ClusterImage image, List<IndexedEntry> entries, long nextIndex, int leaderId) {
            this(image, entries, nextIndex, leaderId, null);
        }

        /** With what the quorum is, unless the caller of that poll knows it or does not ask. */
        public PollAnswer telling(QuorumIdentity identity, Poll poll) {
            return poll.knownQuorum() == Poll.NO_QUORUM || poll.knownQuorum() == identity.key()
                    ? this
                    : new PollAnswer(image, entries, nextIndex, leaderId, identity);
        }
    }

    /**
     * Who decides, and since when in one history.
     *
     * @param members of the quorum as {@code id@host:port}, in order
     */
    record QuorumIdentity(List<String> members, Recovery recovery) {
        /** Tells one from another; never one of the constants of {@link Poll}. */
        public long key() {
            return (1L << 32) | Integer.toUnsignedLong(hashCode());
        }
    }

    /**
     * The last time that controllers were made anew from an image, after a majority was lost: what came after that image in
     * the history before is gone.
     *
     * @param id of that recovery, drawn at random; empty if there was none
     * @param index of the image, -1 without a recovery
     * @param earlier those before it, oldest first
     */
    record Recovery(String id, long index, List<Past> earlier) {
        public static final Recovery NONE = new Recovery("", -1);

        public Recovery {
            earlier = List.copyOf(earlier);
        }

        /** The first one of a history. */
        public Recovery(String id, long index) {
            this(id, index, List.of());
        }

        /** One of several. */
        public record Past(String id, long index) {}

        /** All of them, oldest first. */
        public List<Past> all() {
            return id.isEmpty()
                    ? List.of()
                    : Stream.concat(earlier.stream(), Stream.of(new Past(id, index)))
                            .toList();
        }

        /**
         * Up to which index the history that ends with {@code other} is the same as the one that ends with this:
         * {@link Long#MAX_VALUE} if they are one. Who has a recovery in common has all before it in common; from there
         * on each one took away what was behind its image.
         */
        public long sharedWith(Recovery other) {
            List<Past> mine = all();
            List<Past> theirs = other.all();
            for (int i = mine.size() - 1; i >= 0; i--) {
                for (int j = theirs.size() - 1; j >= 0; j--) {
                    if (mine.get(i).id().equals(theirs.get(j).id())) {
                        return Math.min(lowest(mine, i + 1), lowest(theirs, j + 1));
                    }
                }
            }
            return Math.min(lowest(mine, 0), lowest(theirs, 0));
        }

        private static long lowest(List<Past> recoveries, int from) {
            return recoveries.stream().skip(from).mapToLong(Past::index).min().orElse(Long.MAX_VALUE);
        }
    }

    /** An entry at its index, as bytes so that it is encoded and decoded once. */
    record IndexedEntry(long index, byte[] bytes) {}

    /** How a controller stands; any of them answers for itself. */
    record Status() implements QuorumQuery {}

    /**
     * @param image its applied image
     * @param digest of that image, for comparison between replicas
     * @param fastPathOff by the acting controller only: brokers whose death just the session timer would show, and why
     */
    record StatusAnswer(
            int nodeId,
            int leaderId,
            long term,
            long commitIndex,
            long appliedIndex,
            long voidEntries,
            long digest,
            ClusterImage image,
            Map<Integer, String> fastPathOff) {}

    /**
     * The log from {@code fromIndex} on as a controller has it on its disk, kept history included; for tools.
     *
     * @param maxBytes bound of the entries in one answer; at least one entry is returned if there is one
     */
    record ReadHistory(long fromIndex, int maxBytes) implements QuorumQuery {}

    /**
     * @param entries in order; none at the end of the log
     * @param committed highest index that controller knows to be committed
     * @param keyframes images it has, by index ascending
     * @param findings what is wrong with the files that were read, in words
     */
    record HistoryAnswer(
            List<StoredEntry> entries, long committed, List<KeyframeRef> keyframes, List<String> findings) {}

    /**
     * An entry of the log as it is stored.
     *
     * @param kind 0 ours, 1 Ratis' configuration, 2 Ratis' note of what is committed
     * @param bytes of the metadata entry, empty for entries of Ratis' own
     * @param commitIndex for kind 2, else -1
     */
    record StoredEntry(long index, long term, int kind, byte[] bytes, long commitIndex) {}

    /** Where an image is. */
    record KeyframeRef(long term, long index) {}

    /** The image that a controller has for exactly that index; for tools. */
    record ReadKeyframe(long index) implements QuorumQuery {}

    /**
     * The bytes from {@code offset} on of an answer that was too large for a message, from the controller that gave it; as
     * many as it likes to send. It forgets the answer when nobody has read of it for some time.
     *
     * @param id from the note that was sent in the answer's place
     */
    record ReadPart(long id, long offset) implements QuorumQuery {}

    /** How far everybody is who follows the metadata log; for the acting controller. */
    record Members() implements QuorumQuery {}

    /**
     * @param endIndex last entry of the acting controller's log
     * @param voters the members of the quorum, the acting controller among them; during a change those before it and
     *     those after it
     * @param changing whether a change of the members is under way
     * @param followers the brokers that have sent it a heartbeat since it leads
     */
    record MembersAnswer(
            int leaderId,
            long term,
            long commitIndex,
            long endIndex,
            List<Member> voters,
            boolean changing,
            List<Member> followers,
            Recovery recovery) {}

    /**
     * One member's progress; times are wall-clock milliseconds of the acting controller, -1 if unknown.
     *
     * @param address host:port of a voter; empty for brokers
     * @param endIndex last entry it has, -1 if it has none or that is unknown
     * @param seenMs when it was last heard of
     * @param caughtUpMs when it last had all that the acting controller had, as exactly as it is looked at
     */
    record Member(int id, String address, long endIndex, long seenMs, long caughtUpMs) {}
}
