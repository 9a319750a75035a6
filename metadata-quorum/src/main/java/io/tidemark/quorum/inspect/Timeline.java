package io.tidemark.quorum.inspect;

import io.tidemark.model.Check;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.quorum.files.Finding;
import io.tidemark.quorum.files.MetadataSource;
import io.tidemark.quorum.files.MetadataSource.Keyframe;
import io.tidemark.quorum.files.RawEntry;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The state of the cluster along a source's entries: by the same fold as everybody's, from the nearest image before.
 * Where entries are missing the state is not known until the next image.
 */
final class Timeline {
    private final MetadataSource source;
    private final List<Keyframe> keyframes;
    private final Consumer<Finding> findings;
    private final UnaryOperator<MetadataEntry> reduction;

    /** Takes one entry after another. */
    interface Visitor {
        /** False for enough. */
        boolean step(Step step) throws IOException;

        /** The state at a point where it becomes known: the beginning, and behind missing entries. */
        default void known(ClusterImage image) throws IOException {}

        /** The state is not known from here on. */
        default void gap(long first, long last) throws IOException {}
    }

    /**
     * One entry and what it did.
     *
     * @param entry null for an entry of Ratis' own, and for one that cannot be decoded
     * @param before null where the state is not known, and then {@code after} is null too
     */
    record Step(RawEntry raw, MetadataEntry entry, ClusterImage before, ClusterImage after) {
        boolean known() {
            return after != null;
        }

        /** Whether it was decided on a state that did not come to be (chain rule). */
        boolean isVoid() {
            return entry != null && before != null && !before.chains(entry);
        }

        boolean effective() {
            return entry != null && before != null && before.chains(entry);
        }
    }

    Timeline(MetadataSource source, Consumer<Finding> findings) throws IOException {
        this(source, findings, UnaryOperator.identity());
    }

    /** {@code reduction} takes records away that the reader does not need; what is left must fold by itself. */
    Timeline(MetadataSource source, Consumer<Finding> findings, UnaryOperator<MetadataEntry> reduction)
            throws IOException {
        this.source = source;
        this.keyframes = source.keyframes();
        this.findings = findings;
        this.reduction = reduction;
    }

    /**
     * Visits the entries from the nearest point at or before {@code from} where the state is known; those before it too if
     * that is what it takes to know it. Ends behind {@code to}.
     */
    void run(long from, long to, Visitor visitor) throws IOException {
        Base base = base(from);
        Fold fold = new Fold(base.image(), base.next(), visitor);
        if (base.image() != null) {
            visitor.known(base.image());
        }
        if (new EntryStream(source, findings).read(base.next(), to, fold)) {
            fold.end(to);
        }
    }

    /** The state at that index, or null if it is not known there. */
    ClusterImage at(long index) throws IOException {
        Base base = base(index + 1);
        if (base.next() > index) {
            return base.image();
        }
        Last last = new Last(base.image());
        Fold fold = new Fold(base.image(), base.next(), last);
        new EntryStream(source, findings).read(base.next(), index, fold);
        return last.seen == index ? last.image : null;
    }

    private record Base(ClusterImage image, long next) {}

    /** The latest image before that index, or the empty one before the first entry. */
    private Base base(long before) throws IOException {
        for (int i = keyframes.size() - 1; i >= 0; i--) {
            Keyframe keyframe = keyframes.get(i);
            if (keyframe.index() < before) {
                ClusterImage image = keyframe.load();
                if (image != null) {
                    return new Base(image, keyframe.index() + 1);
                }
            }
        }
        // Of a log that begins later the fold finds out by itself.
        return new Base(null, 0);
    }

    /** The latest image whose clock is not after that time, to search from; the index behind it. */
    long before(long timeMs) throws IOException {
        for (int i = keyframes.size() - 1; i >= 0; i--) {
            ClusterImage image = keyframes.get(i).load();
            if (image != null && image.timestampMs() <= timeMs) {
                return keyframes.get(i).index() + 1;
            }
        }
        return 0;
    }

    /** Index of the first point at which the state is known: history begins there. -1 stands for before the first entry. */
    long begins() throws IOException {
        long[] first = {Long.MAX_VALUE};
        source.read(0, Long.MAX_VALUE, entry -> {
            first[0] = entry.index();
            return false;
        });
        if (first[0] == 0 || keyframes.isEmpty()) {
            return first[0] == 0 ? -1 : Long.MAX_VALUE;
        }
        return keyframes.get(0).index();
    }

    private static final class Last implements Visitor {
        private ClusterImage image;
        private long seen = -1;

        Last(ClusterImage image) {
            this.image = image;
        }

        @Override
        public boolean step(Step step) {
            image = step.after();
            seen = step.raw().index();
            return true;
        }

        @Override
        public void known(ClusterImage now) {
            image = now;
        }

        @Override
        public void gap(long first, long last) {
            image = null;
        }
    }

    /** Folds what the stream passes. */
    private final class Fold implements EntryStream.Visitor {
        private final Visitor visitor;
        private ClusterImage image;
        private long next;

        Fold(ClusterImage image, long next, Visitor visitor) {
            this.image = image;
            this.next = next;
            this.visitor = visitor;
        }

        @Override
        public boolean entry(RawEntry raw, MetadataEntry whole, boolean unreadable) throws IOException {
            if (image != null && raw.index() != next) {
                // An image from before the oldest entry there is.
                image = null;
                visitor.gap(next, raw.index() - 1);
            }
            if (image == null) {
                adopt(raw.index());
            }
            ClusterImage before = image;
            MetadataEntry entry = whole == null ? null : reduction.apply(whole);
            if (unreadable) {
                lose(raw.index());
            } else if (entry != null && image != null) {
                fold(raw, entry);
            }
            next = raw.index() + 1;
            return visitor.step(new Step(raw, entry, image == null ? null : before, image));
        }

        private void fold(RawEntry raw, MetadataEntry entry) throws IOException {
            try {
                image = image.apply(raw.index(), entry);
            } catch (Check.Violation | IllegalArgumentException e) {
                findings.accept(Finding.damage(
                        raw.file(),
                        raw.position(),
                        "entry " + raw.index() + " breaks what always holds: " + e.getMessage()));
                lose(raw.index());
            }
        }

        private void lose(long index) throws IOException {
            if (image != null) {
                image = null;
                visitor.gap(index, index);
            }
        }

        @Override
        public void gap(long first, long last, boolean bridged) throws IOException {
            image = null;
            visitor.gap(first, last);
        }

        /** A snapshot may be all there is of the last entries: a controller that was away was given it just now. */
        void end(long to) throws IOException {
            for (int i = keyframes.size() - 1; i >= 0 && keyframes.get(i).index() >= next; i--) {
                Keyframe keyframe = keyframes.get(i);
                ClusterImage last = keyframe.index() <= to ? keyframe.load() : null;
                if (last != null) {
                    if (image != null) {
                        visitor.gap(next, keyframe.index());
                    }
                    visitor.known(last);
                    return;
                }
            }
        }

        /** Takes an image up that is of just before that index. */
        private void adopt(long index) throws IOException {
            if (index == 0) {
                image = ClusterImage.EMPTY;
                return;
            }
            for (Keyframe keyframe : keyframes) {
                if (keyframe.index() == index - 1) {
                    image = keyframe.load();
                    if (image != null) {
                        visitor.known(image);
                    }
                    return;
                }
            }
        }
    }
}
