package io.tidemark.broker.log;

/** What {@link SegmentLog#read} found. */
public sealed interface ReadResult {
    /**
     * Whole batches of one segment. The first batch contains the offset asked for and starts at {@code firstBatchBase};
     * the last one ends before {@code nextOffset}. The receiver releases the slice.
     */
    record Slice(FileSlice slice, long firstBatchBase, long nextOffset) implements ReadResult {}

    /** Nothing readable there now: at the limit, or the first batch is larger than asked for. */
    record Empty() implements ReadResult {
        static final Empty INSTANCE = new Empty();
    }

    /** Run {@code warm} on a thread that may block, then the same read again on the loop. */
    record Cold(Runnable warm) implements ReadResult {}

    /** Below the log start or above the log end. */
    record OutOfRange(long logStart, long logEnd) implements ReadResult {}
}
