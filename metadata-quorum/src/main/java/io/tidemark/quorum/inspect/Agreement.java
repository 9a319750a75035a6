package io.tidemark.quorum.inspect;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.quorum.files.Finding;
import io.tidemark.quorum.files.MetadataSource;
import java.io.IOException;

/** Whether two controllers hold the same up to where both know the log to be committed. */
final class Agreement {
    private final MetadataSource left;
    private final MetadataSource right;
    private final Output output;

    Agreement(MetadataSource left, MetadataSource right, Output output) {
        this.left = left;
        this.right = right;
        this.output = output;
    }

    /** False if they contradict each other, which is a finding, or cannot be compared. */
    boolean check() throws IOException {
        long index = Math.min(left.committed(), right.committed());
        NodeDiff diff = new NodeDiff(left, right, output);
        long contradiction = diff.contradiction(0, index);
        if (contradiction >= 0) {
            output.finding(Finding.damage(
                    null,
                    -1,
                    "entry " + contradiction + " is not the same in " + left.name() + " and in " + right.name()));
            return false;
        }
        ClusterImage one = diff.state(left, index);
        ClusterImage other = diff.state(right, index);
        if (one == null || other == null) {
            output.finding(Finding.note(
                    null,
                    -1,
                    "of " + left.name() + " and " + right.name() + " the states cannot be compared: that at index "
                            + index + " is not known in " + (one == null ? left.name() : right.name())));
            return false;
        }
        if (one.digest() != other.digest()) {
            output.finding(Finding.damage(
                    null,
                    -1,
                    String.format(
                            "at index %d the digest of %s is %016x, that of %s is %016x",
                            index, left.name(), one.digest(), right.name(), other.digest())));
            return false;
        }
        return true;
    }
}
