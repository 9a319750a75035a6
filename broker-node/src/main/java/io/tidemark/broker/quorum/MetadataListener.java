package io.tidemark.broker.quorum;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.QuorumQuery;
import java.util.List;

/** Who is told of the cluster's state as the metadata log moves on; all calls come from one thread, in order. */
public interface MetadataListener {
    /**
     * The image moved from {@code before} to {@code after}, whose index is higher.
     *
     * @param entries those between the two, void ones included; null if they were skipped because this reader was too
     *     far behind and got the image as a whole
     */
    void onImage(ClusterImage before, ClusterImage after, List<IndexedEntry> entries);

    /**
     * The log cannot be followed further: it holds what this version cannot read, or a listener failed. Nothing more
     * will be told, and the node should stop.
     */
    void onFailure(RuntimeException cause);

    record IndexedEntry(long index, MetadataEntry entry) {}

    /**
     * The quorum says from which image its controllers were made anew, if ever; before any entry from it is handed over.
     *
     * @param index last entry that was followed
     * @return false to follow no further
     */
    default boolean onRecovery(QuorumQuery.Recovery recovery, long index) {
        return true;
    }
}
