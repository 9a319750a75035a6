package io.tidemark.broker.log;

import io.tidemark.model.PartitionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The index in memory, with the one weakness of the real one: a crash takes what was not flushed. */
public final class MemoryOffsetIndex implements OffsetIndex {
    private record Key(PartitionId log, char kind, long segment, long offset) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            int byLog = log.compareTo(other.log);
            if (byLog != 0) {
                return byLog;
            }
            int byKind = Character.compare(kind, other.kind);
            if (byKind != 0) {
                return byKind;
            }
            int bySegment = Long.compare(segment, other.segment);
            return bySegment != 0 ? bySegment : Long.compare(offset, other.offset);
        }
    }

    private NavigableMap<Key, Object> live = new TreeMap<>();
    private NavigableMap<Key, Object> flushed = new TreeMap<>();

    /** Back to the last flush. */
    public void crash() {
        live = new TreeMap<>(flushed);
    }

    /** The logs that it holds anything of. */
    public Set<PartitionId> logs() {
        Set<PartitionId> logs = new TreeSet<>();
        for (Key key = live.isEmpty() ? null : live.firstKey(); key != null; ) {
            logs.add(key.log());
            key = live.higherKey(new Key(key.log(), 'z', 0, 0));
        }
        return logs;
    }

    private static Key entry(PartitionId log, long segment, long offset) {
        return new Key(log, 'e', segment, offset);
    }

    private static Key snapshot(PartitionId log, long offset) {
        return new Key(log, 'p', 0, offset);
    }

    private static Key summaryKey(PartitionId log, long segment) {
        return new Key(log, 's', segment, 0);
    }

    @Override
    public void put(PartitionId log, long segmentBase, List<IndexEntry> entries) {
        entries.forEach(entry -> live.put(entry(log, segmentBase, entry.offset()), entry));
    }

    @Override
    public Optional<IndexEntry> floor(PartitionId log, long segmentBase, long offset) {
        List<IndexEntry> below = new ArrayList<>(entries(log, segmentBase));
        below.removeIf(entry -> entry.offset() > offset);
        return below.isEmpty() ? Optional.empty() : Optional.of(below.get(below.size() - 1));
    }

    @Override
    public List<IndexEntry> entries(PartitionId log, long segmentBase) {
        return live
                .subMap(entry(log, segmentBase, 0), true, entry(log, segmentBase, Long.MAX_VALUE), true)
                .values()
                .stream()
                .map(IndexEntry.class::cast)
                .toList();
    }

    @Override
    public void putSummary(PartitionId log, long segmentBase, SegmentSummary summary) {
        live.put(summaryKey(log, segmentBase), summary);
    }

    @Override
    public Optional<SegmentSummary> summary(PartitionId log, long segmentBase) {
        return Optional.ofNullable((SegmentSummary) live.get(summaryKey(log, segmentBase)));
    }

    @Override
    public void putSnapshot(PartitionId log, long offset, byte[] states) {
        live.put(snapshot(log, offset), states);
    }

    @Override
    public Optional<Snapshot> newestSnapshot(PartitionId log, long offset) {
        Map.Entry<Key, Object> found = live.floorEntry(snapshot(log, offset));
        return found == null
                        || found.getKey().kind() != 'p'
                        || !found.getKey().log().equals(log)
                ? Optional.empty()
                : Optional.of(new Snapshot(found.getKey().offset(), (byte[]) found.getValue()));
    }

    @Override
    public void deleteSnapshots(PartitionId log, long from, long to) {
        if (from < to) {
            live.subMap(snapshot(log, from), snapshot(log, to)).clear();
        }
    }

    @Override
    public void truncate(PartitionId log, long activeBase, long offset) {
        live.subMap(entry(log, activeBase, offset), new Key(log, 'f', 0, 0)).clear();
        live.subMap(summaryKey(log, activeBase), new Key(log, 't', 0, 0)).clear();
    }

    @Override
    public void deleteSegment(PartitionId log, long segmentBase) {
        live.subMap(entry(log, segmentBase, 0), true, entry(log, segmentBase, Long.MAX_VALUE), true)
                .clear();
        live.remove(summaryKey(log, segmentBase));
    }

    @Override
    public void deleteLog(PartitionId log) {
        live.subMap(new Key(log, 'a', 0, 0), new Key(log, 'z', 0, 0)).clear();
        flush();
    }

    @Override
    public void keepOnly(Set<PartitionId> logs) {
        if (live.keySet().removeIf(key -> !logs.contains(key.log()))) {
            flush();
        }
    }

    @Override
    public void flush() {
        flushed = new TreeMap<>(live);
    }

    @Override
    public void close() {}
}
