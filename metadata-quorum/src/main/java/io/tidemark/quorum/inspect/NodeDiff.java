package io.tidemark.quorum.inspect;

import com.google.common.hash.Hashing;
import io.tidemark.model.codec.Json;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.quorum.files.MetadataSource;
import io.tidemark.quorum.files.RawEntry;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares what two controllers hold: the entries that both have, and the state at the last index that both know to be
 * committed. Up to there they must be the same; behind it they may differ until one of them is the log.
 */
final class NodeDiff {
    /** Entries of one side held to be compared with the other's, so that memory is bounded. */
    private static final int WINDOW = 20_000;

    private final MetadataSource left;
    private final MetadataSource right;
    private final Output output;

    NodeDiff(MetadataSource left, MetadataSource right, Output output) {
        this.left = left;
        this.right = right;
        this.output = output;
    }

    /** First and last index of a source's entries, -1 without any. */
    private record Extent(long first, long last) {}

    /** Tells all; false if they contradict each other. */
    boolean tell() throws IOException {
        Extent mine = extent(left);
        Extent theirs = extent(right);
        long committed = Math.min(left.committed(), right.committed());
        long contradiction =
                contradiction(Math.max(mine.first(), theirs.first()), Math.min(mine.last(), theirs.last()));
        ClusterImage one = state(left, committed);
        ClusterImage other = state(right, committed);
        boolean digestsDiffer = one != null && other != null && one.digest() != other.digest();
        boolean bad = contradiction >= 0 && contradiction <= committed || digestsDiffer;
        if (output.json()) {
            json(mine, theirs, committed, contradiction, one, other);
        } else {
            text(mine, theirs, committed, contradiction, one, other);
        }
        return !bad;
    }

    private void text(
            Extent mine, Extent theirs, long committed, long contradiction, ClusterImage one, ClusterImage other)
            throws IOException {
        describe(left, mine);
        describe(right, theirs);
        if (contradiction < 0) {
            output.quick("the entries that both have are the same");
        } else {
            output.quick(output.style().bad("from index " + contradiction + " on their entries differ")
                    + (contradiction > committed
                            ? " (behind what both know to be committed: usual after a crash)"
                            : " although both know it to be committed"));
        }
        if (one == null || other == null) {
            output.quick("the state at index " + committed + " is not known in "
                    + (one == null ? left.name() : right.name()));
            return;
        }
        output.quick(
                String.format("state at index %d: digest %016x and %016x", committed, one.digest(), other.digest()));
        ImageDiff.of(one, other).forEach(difference -> output.quick(difference.text()));
    }

    private void describe(MetadataSource source, Extent extent) throws IOException {
        output.quick(source.name() + ": "
                + (extent.last() < 0 ? "no entries" : "entries " + extent.first() + " to " + extent.last())
                + ", known to be committed up to " + source.committed());
    }

    private void json(
            Extent mine, Extent theirs, long committed, long contradiction, ClusterImage one, ClusterImage other) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("left", List.of(mine.first(), mine.last()));
        row.put("right", List.of(theirs.first(), theirs.last()));
        row.put("committed", committed);
        row.put("firstDifferentEntry", contradiction);
        row.put("leftDigest", one == null ? null : String.format("%016x", one.digest()));
        row.put("rightDigest", other == null ? null : String.format("%016x", other.digest()));
        row.put(
                "differences",
                one == null || other == null
                        ? List.of()
                        : ImageDiff.of(one, other).stream()
                                .map(ImageDiff.Difference::json)
                                .toList());
        output.quick(Json.of(row));
    }

    /** The state of that side there; null if it is not known. */
    ClusterImage state(MetadataSource source, long index) throws IOException {
        return index < 0 ? null : new Timeline(source, output::finding).at(index);
    }

    private Extent extent(MetadataSource source) throws IOException {
        long[] ends = {-1, -1};
        source.read(0, Long.MAX_VALUE, entry -> {
            ends[0] = ends[0] < 0 ? entry.index() : ends[0];
            ends[1] = entry.index();
            output.progress(entry.index());
            return true;
        });
        return new Extent(ends[0], ends[1]);
    }

    /** Index of the first entry in that range that is not the same, -1 if there is none. */
    long contradiction(long first, long last) throws IOException {
        for (long from = first; first >= 0 && from <= last; from += WINDOW) {
            Map<Long, Fingerprint> held = new HashMap<>();
            left.read(
                    from,
                    Math.min(last, from + WINDOW - 1),
                    entry -> held.put(entry.index(), Fingerprint.of(entry)) == null);
            long[] found = {-1};
            right.read(from, Math.min(last, from + WINDOW - 1), entry -> {
                Fingerprint mine = held.get(entry.index());
                if (mine != null && !mine.equals(Fingerprint.of(entry))) {
                    found[0] = entry.index();
                    return false;
                }
                return true;
            });
            if (found[0] >= 0) {
                return found[0];
            }
        }
        return -1;
    }

    /** What tells entries apart, without holding their bytes. */
    private record Fingerprint(long term, RawEntry.Kind kind, long commitIndex, int length, long hash) {
        static Fingerprint of(RawEntry entry) {
            return new Fingerprint(
                    entry.term(),
                    entry.kind(),
                    entry.commitIndex(),
                    entry.data().length,
                    Hashing.murmur3_128().hashBytes(entry.data()).asLong());
        }
    }
}
