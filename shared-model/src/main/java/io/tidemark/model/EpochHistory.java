package io.tidemark.model;

import java.util.ArrayList;
import java.util.List;

/**
 * Which leader epoch wrote which offsets of one log: an immutable list of (epoch, start offset), strictly increasing in
 * both (R1.14, I8). An entry may stand for a leader that never wrote. Knows no file; the checkpoint is another class.
 */
public final class EpochHistory {
    public static final EpochHistory EMPTY = new EpochHistory(List.of());

    private final List<EpochAndOffset> entries;

    private EpochHistory(List<EpochAndOffset> entries) {
        this.entries = entries;
    }

    /** Throws {@link Check.Violation} unless epochs and offsets increase strictly and none is negative. */
    public static EpochHistory of(List<EpochAndOffset> entries) {
        EpochAndOffset last = EpochAndOffset.UNDEFINED;
        for (EpochAndOffset entry : entries) {
            Check.that(
                    entry.epoch() > last.epoch() && entry.offset() > last.offset(),
                    "epoch history does not increase: %s",
                    entries);
            last = entry;
        }
        return new EpochHistory(List.copyOf(entries));
    }

    /** For tests and scenarios: {@code of(0, 0, 3, 7)} is {0:0, 3:7}. */
    public static EpochHistory of(long... epochsAndOffsets) {
        List<EpochAndOffset> entries = new ArrayList<>();
        for (int i = 0; i < epochsAndOffsets.length; i += 2) {
            entries.add(new EpochAndOffset(Math.toIntExact(epochsAndOffsets[i]), epochsAndOffsets[i + 1]));
        }
        return of(entries);
    }

    public List<EpochAndOffset> entries() {
        return entries;
    }

    public boolean isEmpty() {
        return entries.isEmpty();
    }

    /** The newest epoch, or -1 if the history is empty. */
    public int latestEpoch() {
        return entries.isEmpty() ? -1 : entries.get(entries.size() - 1).epoch();
    }

    /** The epoch that wrote the record at {@code offset}, or -1 if no entry starts at or below it. */
    public int epochAt(long offset) {
        for (int i = entries.size() - 1; i >= 0; i--) {
            if (entries.get(i).offset() <= offset) {
                return entries.get(i).epoch();
            }
        }
        return -1;
    }

    /** R6.20: the largest epoch at or below {@code epoch} and the offset where it ends, given the log's end. */
    public EpochAndOffset endOffsetFor(int epoch, long logEnd) {
        if (epoch < 0 || entries.isEmpty()) {
            return EpochAndOffset.UNDEFINED;
        }
        if (epoch == latestEpoch()) {
            return new EpochAndOffset(epoch, logEnd);
        }
        EpochAndOffset floor = null;
        for (EpochAndOffset entry : entries) {
            if (entry.epoch() > epoch) {
                // No floor: the history below was deleted, so what is asked for ends where the known part starts.
                return new EpochAndOffset(floor == null ? epoch : floor.epoch(), entry.offset());
            }
            floor = entry;
        }
        return EpochAndOffset.UNDEFINED;
    }

    /** R6.21: the history with {@code epoch} starting at {@code start}; entries it contradicts are dropped. */
    public EpochHistory assign(int epoch, long start) {
        Check.that(epoch >= 0 && start >= 0, "epoch and start offset are not negative", epoch, start);
        if (!entries.isEmpty()) {
            EpochAndOffset latest = entries.get(entries.size() - 1);
            if (latest.epoch() == epoch && latest.offset() <= start) {
                return this;
            }
        }
        int keep = entries.size();
        while (keep > 0
                && (entries.get(keep - 1).epoch() >= epoch
                        || entries.get(keep - 1).offset() >= start)) {
            keep--;
        }
        List<EpochAndOffset> kept = new ArrayList<>(entries.subList(0, keep));
        kept.add(new EpochAndOffset(epoch, start));
        return new EpochHistory(List.copyOf(kept));
    }

    /** R6.22: without the entries that start at or above {@code end}. */
    public EpochHistory truncateFromEnd(long end) {
        int keep = entries.size();
        while (keep > 0 && entries.get(keep - 1).offset() >= end) {
            keep--;
        }
        return keep == entries.size() ? this : new EpochHistory(List.copyOf(entries.subList(0, keep)));
    }

    /** R6.22: entries that start at or below {@code start} go, but the last of them stays, starting at {@code start}. */
    public EpochHistory truncateFromStart(long start) {
        int drop = 0;
        while (drop < entries.size() && entries.get(drop).offset() <= start) {
            drop++;
        }
        if (drop == 0 || (drop == 1 && entries.get(0).offset() == start)) {
            return this;
        }
        List<EpochAndOffset> kept = new ArrayList<>();
        kept.add(new EpochAndOffset(entries.get(drop - 1).epoch(), start));
        kept.addAll(entries.subList(drop, entries.size()));
        return new EpochHistory(List.copyOf(kept));
    }

    /** At most {@code count} entries, the newest; what lies before the first of them is not known. */
    public EpochHistory newest(int count) {
        int drop = entries.size() - count;
        return drop <= 0 ? this : new EpochHistory(List.copyOf(entries.subList(drop, entries.size())));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EpochHistory history && history.entries.equals(entries);
    }

    @Override
    public int hashCode() {
        return entries.hashCode();
    }

    @Override
    public String toString() {
        return "E" + entries;
    }
}
