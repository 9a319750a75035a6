package io.tidemark.broker.runtime;

/**
 * Hears of the high watermark of one partition while this broker leads it in one leader epoch, and so only of records
 * that belong to that epoch's log. Called on the partition's loop; must not block.
 */
public interface MarkListener {
    /** The mark is at {@code highWatermark}: called once at the start, and at every move. */
    void reached(long highWatermark);

    /** The epoch is over, the partition gone or failed, or had never been led in that epoch: no further call. */
    void retired();
}
