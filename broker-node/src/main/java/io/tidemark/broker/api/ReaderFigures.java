package io.tidemark.broker.api;

/**
 * The readers of a loop: sessions that are kept, partitions in them, sessions that had to go for others, and fetches that
 * wait at the moment (R4.20, R4.32).
 */
public record ReaderFigures(long sessions, long partitions, long evictions, long waiting) {
    public static ReaderFigures sum(Iterable<ReaderFigures> parts) {
        ReaderFigures sum = new ReaderFigures(0, 0, 0, 0);
        for (ReaderFigures part : parts) {
            sum = new ReaderFigures(
                    sum.sessions + part.sessions,
                    sum.partitions + part.partitions,
                    sum.evictions + part.evictions,
                    sum.waiting + part.waiting);
        }
        return sum;
    }
}
