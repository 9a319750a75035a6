package io.tidemark.quorum.ratis;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.QuorumReply;
import java.util.List;
import java.util.function.Supplier;

/**
 * The image that the next decision is made on: the applied image plus this leader's own entries on their way. Only an
 * optimisation: whatever it says, the chain rule keeps a decision on a state that never came to be from taking effect.
 *
 * <p>A generation begins with every rebuild from the applied image, which happens in two cases only: the term changed,
 * or an entry of the current generation was void. Used under the log's lock, except for {@link #voided}.
 */
public final class PendingImage {
    private static final long NO_ENTRY_YET = Long.MAX_VALUE;

    private ClusterImage image;
    private long term = -1;
    private long generationStart = NO_ENTRY_YET;

    /** Index of the last void entry; written by the applying thread after it has published its image. */
    private volatile long lastVoid = -1;

    /** The image for a decision in that term. {@code applied} is read after the news of void entries. */
    public ClusterImage forTerm(long currentTerm, Supplier<ClusterImage> applied) {
        long lastVoidSeen = lastVoid;
        if (term != currentTerm || lastVoidSeen >= generationStart) {
            image = applied.get();
            term = currentTerm;
            generationStart = NO_ENTRY_YET;
        }
        return image;
    }

    /** The entry decided on the last answer of {@link #forTerm} has got that index. */
    public void appended(long index, MetadataEntry entry) {
        if (generationStart == NO_ENTRY_YET) {
            generationStart = index;
        }
        // An index that the image has passed already: the image holds an entry that the log does not. What is decided
        // on it is void when it is applied, and that rebuilds it.
        if (index > image.index()) {
            image = image.apply(index, entry);
        }
    }

    /** For fault tests: the image goes on as if an entry had been appended that the log never gets. */
    public void ghost() {
        MetadataEntry.Cause cause = new MetadataEntry.Cause("Ghost", -1, -1, "", "fault injection");
        appended(image.index() + 1, new MetadataEntry(image.tip(), 0, cause, List.of(), new QuorumReply.Done()));
    }

    /** The entry at that index took no effect. */
    public void voided(long index) {
        lastVoid = index;
    }
}
