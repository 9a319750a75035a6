package io.tidemark.quorum.ratis;

import io.tidemark.model.metadata.ClusterImage;

/**
 * What this replica has applied: the image, and the log position, which entries of Ratis' own move too.
 *
 * @param index of the last entry applied, at least the image's; -1 before the first
 */
record AppliedState(ClusterImage image, long term, long index) {
    static final AppliedState NOTHING = new AppliedState(ClusterImage.EMPTY, 0, -1);
}
