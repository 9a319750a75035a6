package io.tidemark.model;

/**
 * A leader epoch with an offset that belongs to it: the end of an epoch in a look-up (R6.20), the start of one in a
 * history (R1.14). Both are -1 when undefined.
 */
public record EpochAndOffset(int epoch, long offset) {
    public static final EpochAndOffset UNDEFINED = new EpochAndOffset(-1, -1);

    public boolean isUndefined() {
        return epoch < 0;
    }

    @Override
    public String toString() {
        return epoch + ":" + offset;
    }
}
