package io.tidemark.broker.log;

import io.tidemark.model.EpochHistory;
import java.io.IOException;

/**
 * Which epoch wrote what of a log, together with the checkpoint that says so on disk. The two differ only from a raise of
 * the log start until the next write of the file.
 */
final class StoredEpochs {
    private final EpochCheckpoint checkpoint;
    private EpochHistory history;
    private boolean dirty;

    /** {@code history} is what the checkpoint says. */
    StoredEpochs(EpochCheckpoint checkpoint, EpochHistory history) {
        this.checkpoint = checkpoint;
        this.history = history;
    }

    EpochHistory history() {
        return history;
    }

    /** As {@link SegmentLog#persistEpochs}; whether the file was put anew, and thus is not durable before the directory. */
    boolean writeAhead(EpochHistory changed) throws IOException {
        if (!dirty && changed.equals(history)) {
            return false;
        }
        checkpoint.writeAhead(changed);
        wrote(changed);
        return true;
    }

    /** The history of a log that was cut, durable on return (R6.22). */
    void cut(EpochHistory shorter) throws IOException {
        if (dirty || !shorter.equals(history)) {
            checkpoint.write(shorter);
            wrote(shorter);
        }
    }

    private void wrote(EpochHistory written) {
        history = written;
        dirty = false;
    }

    /** What lies below {@code offset} is gone; the file is left for later. */
    void dropBelow(long offset) {
        EpochHistory shorter = history.truncateFromStart(offset);
        dirty |= !shorter.equals(history);
        history = shorter;
    }
}
