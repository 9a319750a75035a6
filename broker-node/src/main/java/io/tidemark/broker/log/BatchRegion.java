package io.tidemark.broker.log;

import java.io.IOException;

/** Where the batches that answer a read lie in their segment: whole ones, from {@code start} to {@code end} exclusive. */
record BatchRegion(int start, int end, long firstBatchBase, long nextOffset) {

    /**
     * What is asked of a segment that ends at {@code segmentEnd} after {@code size} bytes: batches from the one that
     * contains {@code offset}, wholly below {@code bound}, at most {@code maxBytes}, or one batch of any size if
     * {@code atLeastOne}.
     */
    record Query(int size, long segmentEnd, long offset, long bound, int maxBytes, boolean atLeastOne) {}

    /**
     * Finds the region by walking headers from {@code from}, a batch boundary at or before the first batch; {@code index},
     * if not null, shortens the walk to the end. Null if no batch may be returned. Throws IOException if the file is
     * damaged.
     */
    static BatchRegion find(Disk.File file, int from, MemoryIndex index, Query query) throws IOException {
        int entryAt = index == null ? -1 : index.floorOffset(query.offset());
        boolean toTheEnd = query.segmentEnd() <= query.bound() && query.size() - from <= query.maxBytes();
        if (toTheEnd && entryAt >= 0 && index.get(entryAt).offset() == query.offset()) {
            // The common read of a follower that keeps up: the index says it all.
            return new BatchRegion(from, query.size(), query.offset(), query.segmentEnd());
        }
        // Only headers count here, and with batches as large as producers like them most bytes lie between headers.
        BatchScanner scanner = new BatchScanner(file, from, query.size(), BatchScanner.NEAR, false);
        BatchHeader first = scanner.next();
        while (first != null && first.nextOffset() <= query.offset()) {
            first = scanner.next();
        }
        if (first == null) {
            throw new IOException("no batch holds offset " + query.offset() + ": " + scanner.damage());
        }
        if (first.nextOffset() > query.bound() || (first.sizeInBytes() > query.maxBytes() && !query.atLeastOne())) {
            return null;
        }
        int start = scanner.batchPosition();
        int end = scanner.position();
        long limit = Math.min(query.size(), (long) start + query.maxBytes());
        if (limit == query.size() && query.segmentEnd() <= query.bound()) {
            return new BatchRegion(start, query.size(), first.baseOffset(), query.segmentEnd());
        }
        long next = first.nextOffset();
        if (index != null && limit > end) {
            int entry = Math.min(index.floorPosition((int) limit), index.floorOffset(query.bound()));
            if (entry >= 0 && index.get(entry).position() > end) {
                end = index.get(entry).position();
                next = index.get(entry).offset();
                scanner = new BatchScanner(file, end, query.size(), BatchScanner.NEAR, false);
            }
        }
        BatchHeader header = end < limit ? scanner.next() : null;
        while (header != null && scanner.position() <= limit && header.nextOffset() <= query.bound()) {
            end = scanner.position();
            next = header.nextOffset();
            header = end < limit ? scanner.next() : null;
        }
        return new BatchRegion(start, end, first.baseOffset(), next);
    }
}
