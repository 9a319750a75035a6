package io.tidemark.quorum.inspect;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.quorum.files.MetadataSource;
import java.io.IOException;

/** Finds the state at a point of a source's log. */
final class Locator {
    private final MetadataSource source;
    private final Output output;
    private final Timeline timeline;

    /** @param index of the last entry it holds, one of Ratis' own perhaps */
    record Located(ClusterImage image, long index, long term) {}

    Locator(MetadataSource source, Output output) throws IOException {
        this.source = source;
        this.output = output;
        this.timeline = new Timeline(source, output::finding);
    }

    /** The state there; null stands for the last one known to be committed. Throws IOException if it is not known. */
    Located at(Point point) throws IOException {
        long committed = source.committed();
        Found found = new Found(point == null ? new Point(Math.max(0, committed), -1) : point);
        timeline.run(found.startOf(timeline), found.lastIndex(), found);
        if (found.image == null || !found.wanted.isTime() && found.index < found.wanted.index()) {
            throw unknown(found);
        }
        if (found.index > committed) {
            output.remark("note: what is behind index " + committed
                    + " is not known to be committed; it may not have come to be");
        }
        return new Located(found.image, found.index, found.term);
    }

    private IOException unknown(Found found) throws IOException {
        long begins = timeline.begins();
        String history = begins == Long.MAX_VALUE
                ? "there is no image and no beginning of the log"
                : "history begins at index " + Math.max(0, begins);
        String why = !found.missing && !found.wanted.isTime() && found.index >= 0 && found.index < found.wanted.index()
                ? "the log ends at index " + found.index
                : "the state is not known there";
        return new IOException(why + " (" + history + " in " + source.name() + ")");
    }

    private final class Found implements Timeline.Visitor {
        private final Point wanted;
        private ClusterImage image;
        private long index = -1;
        private long term;
        private boolean missing;

        Found(Point wanted) {
            this.wanted = wanted;
        }

        long startOf(Timeline line) throws IOException {
            return wanted.isTime() ? line.before(wanted.timeMs()) : wanted.index() + 1;
        }

        long lastIndex() {
            return wanted.isTime() ? Long.MAX_VALUE : wanted.index();
        }

        @Override
        public boolean step(Timeline.Step step) {
            output.progress(step.raw().index());
            if (wanted.isTime() && step.entry() != null && step.entry().timestampMs() > wanted.timeMs()) {
                return false;
            }
            image = step.after();
            missing = false;
            index = step.raw().index();
            term = step.raw().term();
            return true;
        }

        @Override
        public void known(ClusterImage now) throws IOException {
            if (wanted.isTime() && now.timestampMs() > wanted.timeMs()) {
                return;
            }
            image = now;
            missing = false;
            index = Math.max(index, now.index());
            for (MetadataSource.Keyframe keyframe : source.keyframes()) {
                if (keyframe.index() >= now.index() && keyframe.index() <= lastIndex()) {
                    term = keyframe.term();
                    index = Math.max(index, keyframe.index());
                    break;
                }
            }
        }

        @Override
        public void gap(long first, long last) {
            image = null;
            missing = true;
        }
    }
}
