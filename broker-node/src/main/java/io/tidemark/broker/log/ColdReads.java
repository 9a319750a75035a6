package io.tidemark.broker.log;

import io.tidemark.model.PartitionId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Reads far behind the end of a log: a reader thread finds the region and brings it into the page cache, the loop then
 * takes the finding once. A finding made before a truncation (an older generation) is never used.
 */
final class ColdReads {
    /** Findings that nobody came back for must not pile up. */
    private static final int MOST = 256;

    private final PartitionId log;
    private final OffsetIndex index;
    private final Map<Long, Finding> findings = new ConcurrentHashMap<>();

    /** The region (null: nothing may be returned) or the failure of a look-up. */
    record Finding(int generation, Segment segment, BatchRegion.Query query, BatchRegion region, IOException failure) {
        /** Whether this answers {@code now}, the same question asked again while limits may have moved. */
        boolean answers(BatchRegion.Query now) {
            boolean sameLimits = query.maxBytes() == now.maxBytes() && query.atLeastOne() == now.atLeastOne();
            return sameLimits && (region == null ? query.bound() == now.bound() : region.nextOffset() <= now.bound());
        }
    }

    ColdReads(PartitionId log, OffsetIndex index) {
        this.log = log;
        this.index = index;
    }

    /** Loop: the finding for this read of this segment, if one is ready. */
    Optional<Finding> take(Segment segment, int generation, BatchRegion.Query query) {
        Finding finding = findings.remove(query.offset());
        return finding != null
                        && finding.segment() == segment
                        && finding.generation() == generation
                        && finding.answers(query)
                ? Optional.of(finding)
                : Optional.empty();
    }

    /**
     * Loop: the work to be run elsewhere; everything it needs of the log's state is captured here. {@code near} is a batch
     * boundary at or before the offset, or -1 if the stored index must be asked.
     */
    Runnable lookUp(Segment segment, int generation, BatchRegion.Query query, int near) {
        return () -> {
            if (!segment.retain()) {
                return;
            }
            try {
                keep(query.offset(), find(segment, generation, query, near));
            } finally {
                release(segment);
            }
        };
    }

    private Finding find(Segment segment, int generation, BatchRegion.Query query, int near) {
        try {
            Disk.File file = segment.file();
            int from = near >= 0 ? near : startFor(file, segment.base(), query);
            long loaded = Math.min(query.size(), (long) from + query.maxBytes());
            // Before the walk, which would wait for the device at each header.
            file.load(from, loaded - from);
            BatchRegion region = BatchRegion.find(file, from, null, query);
            if (region != null && region.end() > loaded) {
                file.load(loaded, region.end() - loaded);
            }
            return new Finding(generation, segment, query, region, null);
        } catch (IOException e) {
            return new Finding(generation, segment, query, null, e);
        }
    }

    /** The stored index may have been written before a crash that the data did not survive: its word is checked. */
    private int startFor(Disk.File file, long base, BatchRegion.Query query) throws IOException {
        Optional<IndexEntry> entry = index.floor(log, base, query.offset());
        if (entry.isPresent() && entry.get().position() < query.size()) {
            int position = entry.get().position();
            BatchHeader header = new BatchScanner(file, position, query.size(), BatchScanner.NEAR, false).next();
            if (header != null && header.baseOffset() == entry.get().offset()) {
                return position;
            }
        }
        return 0;
    }

    private void keep(long offset, Finding finding) {
        if (findings.size() >= MOST) {
            findings.clear();
        }
        findings.put(offset, finding);
    }

    private static void release(Segment segment) {
        try {
            segment.release();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
