package io.tidemark.broker.replica;

import io.tidemark.model.Check;
import io.tidemark.model.EpochAndOffset;
import io.tidemark.model.EpochHistory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A log as a list of batches, with the notation of the scenarios: "0..99@0 100..104@1", "[5..9]@2" for one batch. */
final class ModelLog {
    /** @param content what the batch says; equal batches are equal bytes */
    record Batch(long base, long last, int epoch, String content) {}

    private final List<Batch> batches = new ArrayList<>();
    private long start;
    private long end;
    private EpochHistory epochs = EpochHistory.EMPTY;

    /** A log with exactly these batches, and the history that explains it. */
    static ModelLog of(String text) {
        ModelLog log = new ModelLog();
        for (String part : text.isEmpty() ? new String[0] : text.split(" ")) {
            boolean whole = part.startsWith("[");
            String[] rangeAndEpoch = part.replace("[", "").replace("]", "").split("@");
            String[] range = rangeAndEpoch[0].split("\\.\\.");
            long from = Long.parseLong(range[0]);
            long to = Long.parseLong(range[range.length - 1]);
            int epoch = Integer.parseInt(rangeAndEpoch[1]);
            if (log.batches.isEmpty()) {
                log.start = from;
                log.end = from;
            }
            if (whole) {
                log.append(new Batch(from, to, epoch, from + ".." + to + "@" + epoch));
            } else {
                for (long offset = from; offset <= to; offset++) {
                    log.append(new Batch(offset, offset, epoch, offset + "@" + epoch));
                }
            }
            log.epochs = log.epochs.assign(epoch, from);
        }
        return log;
    }

    ModelLog copy() {
        ModelLog copy = new ModelLog();
        copy.batches.addAll(batches);
        copy.start = start;
        copy.end = end;
        copy.epochs = epochs;
        return copy;
    }

    void append(Batch batch) {
        Check.that(batch.base() >= end, "appends go to the end", batch.base(), end);
        batches.add(batch);
        end = batch.last() + 1;
    }

    /** Cuts to the batch boundary at or below {@code offset}, and the history with it (R6.22). */
    void truncate(long offset) {
        while (!batches.isEmpty() && batches.get(batches.size() - 1).last() >= offset) {
            end = batches.remove(batches.size() - 1).base();
        }
        end = Math.min(end, offset);
        start = Math.min(start, end);
        epochs = epochs.truncateFromEnd(end);
    }

    void truncateFully(long offset) {
        batches.clear();
        start = offset;
        end = offset;
        epochs = EpochHistory.EMPTY;
    }

    void start(long offset) {
        start = Math.max(start, offset);
        batches.removeIf(batch -> batch.last() < start);
        epochs = epochs.truncateFromStart(start);
    }

    void epochs(EpochHistory history) {
        epochs = history;
    }

    long start() {
        return start;
    }

    long end() {
        return end;
    }

    EpochHistory epochs() {
        return epochs;
    }

    List<Batch> batches() {
        return batches;
    }

    /** Whole batches from the one that holds {@code offset}, up to {@code limit}. */
    List<Batch> read(long offset, long limit) {
        return batches.stream()
                .filter(batch -> batch.last() >= offset && batch.last() < limit)
                .toList();
    }

    /** The batch that holds {@code offset}, or null. */
    Batch at(long offset) {
        int low = 0;
        int high = batches.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            Batch batch = batches.get(middle);
            if (batch.last() < offset) {
                low = middle + 1;
            } else if (batch.base() > offset) {
                high = middle - 1;
            } else {
                return batch;
            }
        }
        return null;
    }

    /** I8: the history increases and explains every batch. */
    boolean explained() {
        EpochAndOffset before = EpochAndOffset.UNDEFINED;
        for (EpochAndOffset entry : epochs.entries()) {
            if (entry.epoch() <= before.epoch() || entry.offset() <= before.offset()) {
                return false;
            }
            before = entry;
        }
        return batches.stream().allMatch(batch -> batch.epoch() == epochs.epochAt(Math.max(batch.base(), start)));
    }

    /** I9: the highest offset that both have with the same epoch, and all below it, is the same in both. */
    static boolean match(ModelLog one, ModelLog other) {
        long offset = Math.min(one.end, other.end) - 1;
        long from = Math.max(one.start, other.start);
        boolean same = false;
        for (; offset >= from; offset--) {
            Batch mine = one.at(offset);
            Batch theirs = other.at(offset);
            same |= mine.epoch() == theirs.epoch();
            if (same && !Objects.equals(mine, theirs)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < batches.size(); ) {
            Batch first = batches.get(i++);
            if (text.length() > 0) {
                text.append(' ');
            }
            if (first.base() != first.last()) {
                text.append('[').append(first.base()).append("..").append(first.last());
                text.append("]@").append(first.epoch());
                continue;
            }
            long last = first.last();
            while (i < batches.size()
                    && batches.get(i).epoch() == first.epoch()
                    && batches.get(i).base() == batches.get(i).last()) {
                last = batches.get(i++).last();
            }
            text.append(first.base());
            if (last > first.base()) {
                text.append("..").append(last);
            }
            text.append('@').append(first.epoch());
        }
        return text.toString();
    }
}
