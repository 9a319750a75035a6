package io.tidemark.broker.replica;

import io.tidemark.model.PartitionId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One reader's standing wish list (KIP-227, R4.30, R4.31): which partitions it fetches from where, what it was last told
 * of each, and which of them have changed since. Reading an idle partition costs nothing.
 */
public final class FetchSession {
    /** What is wanted of one partition and what the reader was last told. */
    public static final class Partition {
        public final PartitionId id;
        /** For readers that name topics instead of giving their ids. */
        public final String topic;

        private Want want;
        private long sentHighWatermark = -1;
        private long sentLogStart = -1;
        private boolean watched;
        /** The reader has said where it is, and no look has taken that to the partition. */
        private boolean told = true;

        Partition(PartitionId id, String topic, Want want) {
            this.id = id;
            this.topic = topic;
            this.want = want;
        }

        public Want want() {
            return want;
        }

        /** R4.31 for a read without records or error: worth a row if the mark or the start is news. */
        public boolean news(long highWatermark, long logStart) {
            return highWatermark != sentHighWatermark || logStart != sentLogStart;
        }

        public void sent(long highWatermark, long logStart) {
            sentHighWatermark = highWatermark;
            sentLogStart = logStart;
        }

        /** After an error the next good answer is news (R4.31). */
        public void sentError() {
            sentHighWatermark = -1;
        }

        /**
         * Whether this reader must ask to be told of changes, before it looks: true the first time, and again after
         * {@link #notWatched}. From then on it counts as asked for.
         */
        public boolean takeWatch() {
            boolean due = !watched;
            watched = true;
            return due;
        }

        /**
         * R4.10: whether the next look has to tell the partition where the reader is. The fetch that said it may be given
         * up before it gets to this partition, and the session does not name again what has not moved.
         */
        public boolean takeTold() {
            boolean due = told;
            told = false;
            return due;
        }

        /** The partition was not there, or did not take the request, to be told of changes. */
        public void notWatched() {
            watched = false;
        }
    }

    /** A reader's position in one partition. */
    public record Want(long offset, int maxBytes, int leaderEpoch, int lastFetchedEpoch, long logStart) {}

    /** A row of a request: a partition to add or to move. */
    public record Row(PartitionId id, String topic, Want want) {}

    private final int id;
    private final boolean follower;
    private final Map<PartitionId, Partition> partitions = new HashMap<>();
    /** Partitions to look at, longest waiting first: one that gave data comes back behind the others (R4.24). */
    private final Set<Partition> dirty = new LinkedHashSet<>();

    private final SessionClock clock = new SessionClock();
    /** The epoch the next request must carry; 1 after opening, wraps to 1. */
    private int nextEpoch = 1;

    private long lastUsedMs;

    public FetchSession(int id, boolean follower, long nowMs) {
        this.id = id;
        this.follower = follower;
        this.lastUsedMs = nowMs;
    }

    /** 0 for a fetch without a session. */
    public int id() {
        return id;
    }

    public boolean isFollower() {
        return follower;
    }

    public SessionClock clock() {
        return clock;
    }

    public int nextEpoch() {
        return nextEpoch;
    }

    public long lastUsedMs() {
        return lastUsedMs;
    }

    /** The request of epoch {@link #nextEpoch} was taken. */
    public void advance(long nowMs) {
        nextEpoch = nextEpoch == Integer.MAX_VALUE ? 1 : nextEpoch + 1;
        lastUsedMs = nowMs;
    }

    /** Adds or moves partitions, then forgets some; returns those that are new here. */
    public List<Partition> update(List<Row> rows, List<PartitionId> forgotten, List<Partition> dropped) {
        List<Partition> added = new ArrayList<>();
        for (Row row : rows) {
            Partition known = partitions.get(row.id());
            if (known == null) {
                Partition partition = new Partition(row.id(), row.topic(), row.want());
                partitions.put(row.id(), partition);
                dirty.add(partition);
                added.add(partition);
            } else {
                known.want = row.want();
                known.told = true;
                dirty.add(known);
            }
        }
        for (PartitionId gone : forgotten) {
            Partition partition = partitions.remove(gone);
            if (partition != null) {
                dirty.remove(partition);
                dropped.add(partition);
            }
        }
        return added;
    }

    /** Something may be new in that partition. */
    public void changed(PartitionId partition) {
        Partition known = partitions.get(partition);
        if (known != null) {
            dirty.add(known);
        }
    }

    /** Partitions to look at, in order; each is clean from here on until it changes. */
    public List<Partition> takeDirty() {
        List<Partition> result = new ArrayList<>(dirty);
        dirty.clear();
        return result;
    }

    /** Look at it again with the next fetch: it had more than was taken, or an error. */
    public void keepDirty(Partition partition) {
        if (partitions.get(partition.id) == partition) {
            dirty.add(partition);
        }
    }

    public Partition partition(PartitionId partition) {
        return partitions.get(partition);
    }

    public Collection<Partition> partitions() {
        return partitions.values();
    }

    public int size() {
        return partitions.size();
    }
}
