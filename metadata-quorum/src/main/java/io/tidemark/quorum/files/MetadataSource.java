package io.tidemark.quorum.files;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumQuery.Recovery;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** One controller's view of the metadata log, wherever it is read from. Reading it changes nothing. */
public interface MetadataSource extends Closeable {
    /** What to call it in messages. */
    String name();

    /** Images at earlier points, by index ascending. */
    List<Keyframe> keyframes() throws IOException;

    /** The index behind the nearest image of before that index, to read on from; 0, the beginning, if there is none. */
    default long behindImageBefore(long index) throws IOException {
        long start = 0;
        for (Keyframe keyframe : keyframes()) {
            if (keyframe.index() < index) {
                start = keyframe.index() + 1;
            }
        }
        return start;
    }

    /** Highest index known to be committed, -1 if none is; entries behind it may still come to nothing. */
    long committed() throws IOException;

    /** How often its quorum was made anew from an image. */
    Recovery recovery() throws IOException;

    /** Passes the entries of that range in order, until the visitor has enough. */
    void read(long from, long to, Visitor visitor) throws IOException;

    /** An image at an earlier point. */
    interface Keyframe {
        long term();

        long index();

        /** Null if it is gone or cannot be read, which is then a finding. */
        ClusterImage load() throws IOException;
    }

    /** Takes what is read. */
    interface Visitor {
        /** False for enough. */
        boolean entry(RawEntry entry) throws IOException;

        /**
         * Entries that this source does not have.
         *
         * @param last may be below {@code first}: nothing is missing, but what follows does not fit
         * @param bridged a snapshot took their place, as for a controller that was away
         */
        default void gap(long first, long last, boolean bridged) throws IOException {}
    }
}
