package io.tidemark.quorum.inspect;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.quorum.files.MetadataSource;
import io.tidemark.quorum.files.MetadataSource.Keyframe;
import io.tidemark.quorum.inspect.EntryView.Effect;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Whether entries took effect (chain rule), and what topics are called, without folding them: what a dump needs of the
 * state, at the cost of a dump.
 */
final class Chain {
    private final Map<Long, Keyframe> keyframes = new HashMap<>();
    private final TopicNames names = new TopicNames();
    private boolean known;
    private long tip = -1;
    private long next;

    /** @param from index of the first entry that will be met, or before it */
    Chain(MetadataSource source, long from) throws IOException {
        next = from;
        Keyframe nearest = null;
        for (Keyframe keyframe : source.keyframes()) {
            keyframes.put(keyframe.index(), keyframe);
            if (nearest == null || keyframe.index() < from) {
                nearest = keyframe;
            }
        }
        if (nearest != null && from > 0) {
            learn(nearest, nearest.index() == from - 1);
        }
    }

    TopicNames names() {
        return names;
    }

    private void learn(Keyframe keyframe, boolean exact) throws IOException {
        ClusterImage image = keyframe.load();
        if (image != null) {
            names.learn(image);
            known |= exact;
            tip = image.tip();
        }
    }

    void gap() {
        known = false;
    }

    /** Meets the next entry, in order; entries of Ratis' own too. */
    Effect meet(long index, MetadataEntry entry, boolean unreadable) throws IOException {
        if (index != next) {
            known = false;
        }
        next = index + 1;
        if (!known) {
            adopt(index);
        }
        if (entry == null) {
            known &= !unreadable;
            return Effect.UNKNOWN;
        }
        names.learn(entry);
        if (!known) {
            return Effect.UNKNOWN;
        }
        if (entry.basedOn() != tip) {
            return Effect.VOID;
        }
        tip = index;
        return Effect.EFFECTIVE;
    }

    private void adopt(long index) throws IOException {
        if (index == 0) {
            known = true;
            tip = -1;
        } else if (keyframes.containsKey(index - 1)) {
            learn(keyframes.get(index - 1), true);
        }
    }
}
