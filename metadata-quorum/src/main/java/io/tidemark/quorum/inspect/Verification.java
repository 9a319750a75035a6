package io.tidemark.quorum.inspect;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.TopicState;
import io.tidemark.quorum.files.Finding;
import io.tidemark.quorum.files.MetadataSource;
import io.tidemark.quorum.files.MetadataSource.Keyframe;
import io.tidemark.quorum.files.RawEntry;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * One source's whole history against what must hold. What a source reports while it is read (checksums, missing entries,
 * foreign files) and what the fold refuses (I5, I11, records about what is not there) are findings already; here are the
 * rest: terms and times that go back, void entries, I6 and I7, and images that the entries do not lead to.
 */
final class Verification implements Timeline.Visitor {
    private final MetadataSource source;
    private final Output output;
    private final Map<Long, Keyframe> keyframes = new LinkedHashMap<>();
    private long first = -1;
    private long last = -1;
    private long entries;
    private long voids;
    private long unknown;
    private int images;
    private long lastTerm;
    private long lastTimeMs;
    private ClusterImage image;
    private ClusterImage beforeGap;

    Verification(MetadataSource source, Output output) throws IOException {
        this.source = source;
        this.output = output;
        source.keyframes().forEach(keyframe -> keyframes.put(keyframe.index(), keyframe));
    }

    void run() throws IOException {
        new Timeline(source, output::finding).run(0, Long.MAX_VALUE, this);
        // Those that no entry led to are at least readable.
        for (Keyframe keyframe : keyframes.values()) {
            if (keyframe.load() != null) {
                images++;
            }
        }
        if (entries == 0 && images == 0) {
            output.finding(Finding.damage(null, -1, source.name() + " holds neither entries nor an image"));
        }
    }

    @Override
    public boolean step(Timeline.Step step) throws IOException {
        RawEntry raw = step.raw();
        output.progress(raw.index());
        first = first < 0 ? raw.index() : first;
        last = raw.index();
        if (raw.term() < lastTerm) {
            damage(raw, "its term is " + raw.term() + ", that of the entry before is " + lastTerm);
        }
        lastTerm = raw.term();
        if (step.entry() != null) {
            entry(step);
        }
        image = step.after();
        compare(raw.index());
        return true;
    }

    private void entry(Timeline.Step step) {
        RawEntry raw = step.raw();
        MetadataEntry entry = step.entry();
        entries++;
        if (entry.basedOn() >= raw.index()) {
            damage(raw, "it is based on entry " + entry.basedOn() + ", which is not before it");
        }
        if (entry.timestampMs() < lastTimeMs && step.effective()) {
            damage(raw, "its time is before that of an earlier entry");
        }
        if (step.isVoid()) {
            voids++;
            output.finding(Finding.note(
                    raw.file(),
                    raw.position(),
                    "entry " + raw.index() + " is void: based on " + entry.basedOn() + ", met "
                            + step.before().tip()));
        } else if (step.effective()) {
            lastTimeMs = entry.timestampMs();
            epochs(step);
        } else {
            unknown++;
        }
    }

    /** I6: epochs never go back; I7: a leader epoch has one leader; a partition belongs to a topic of its own. */
    private void epochs(Timeline.Step step) {
        Set<PartitionId> seen = new HashSet<>();
        for (MetadataRecord record : step.entry().records()) {
            PartitionId id = EntryFilter.partitionOf(record);
            if (id != null && seen.add(id)) {
                epochs(step, id, step.before().partition(id), step.after().partition(id));
            }
        }
    }

    private void epochs(Timeline.Step step, PartitionId id, PartitionState before, PartitionState after) {
        if (before == null || after == null) {
            return;
        }
        String name = step.after().topic(id.topicId()).name() + "-" + id.partition();
        if (after.leaderEpoch() < before.leaderEpoch() || after.partitionEpoch() <= before.partitionEpoch()) {
            damage(
                    step.raw(),
                    "breaks I6: the epochs of " + name + " go from LE " + before.leaderEpoch() + " PE "
                            + before.partitionEpoch() + " to LE " + after.leaderEpoch() + " PE "
                            + after.partitionEpoch());
        }
        if (after.leaderEpoch() == before.leaderEpoch() && after.leader() != before.leader()) {
            damage(
                    step.raw(),
                    "breaks I7: " + name + " has the leaders " + before.leader() + " and " + after.leader()
                            + " in epoch " + after.leaderEpoch());
        }
    }

    private void damage(RawEntry raw, String what) {
        output.finding(Finding.damage(raw.file(), raw.position(), "entry " + raw.index() + ": " + what));
    }

    /** The image that a controller wrote at that index is the one that the entries lead to. */
    private void compare(long index) throws IOException {
        Keyframe keyframe = keyframes.remove(index);
        ClusterImage stored = keyframe == null ? null : keyframe.load();
        if (stored == null) {
            return;
        }
        images++;
        if (image != null && stored.digest() != image.digest()) {
            output.finding(Finding.damage(
                    null,
                    -1,
                    String.format(
                            "%s: the snapshot at index %d has the digest %016x, the entries lead to %016x",
                            source.name(), index, stored.digest(), image.digest())));
        }
    }

    @Override
    public void known(ClusterImage known) {
        if (beforeGap != null) {
            epochsAcross(beforeGap, known);
            beforeGap = null;
        }
        image = known;
        lastTimeMs = known.timestampMs();
    }

    @Override
    public void gap(long from, long to) {
        beforeGap = image == null ? beforeGap : image;
        image = null;
    }

    /** I6 holds for what is not there to be looked at as well. */
    private void epochsAcross(ClusterImage before, ClusterImage after) {
        for (TopicState topic : before.topics().values()) {
            for (PartitionState state : topic.partitions()) {
                PartitionState now = after.partition(state.id());
                if (now != null
                        && (now.leaderEpoch() < state.leaderEpoch() || now.partitionEpoch() < state.partitionEpoch())) {
                    output.finding(Finding.damage(
                            null,
                            -1,
                            source.name() + ": behind missing entries, breaks I6: the epochs of " + topic.name() + "-"
                                    + state.id().partition() + " go from LE " + state.leaderEpoch() + " PE "
                                    + state.partitionEpoch() + " to LE " + now.leaderEpoch() + " PE "
                                    + now.partitionEpoch()));
                }
            }
        }
    }

    String text() {
        String state = image == null ? "" : String.format("; digest %016x", image.digest());
        return source.name() + ": "
                + (last < 0 ? "no entries" : "index " + first + " to " + last) + ", " + entries + " metadata entries ("
                + voids + " void" + (unknown == 0 ? "" : ", " + unknown + " before history begins") + "), " + images
                + " snapshots" + state;
    }

    Map<String, Object> json() {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("source", source.name());
        row.put("first", first);
        row.put("last", last);
        row.put("entries", entries);
        row.put("void", voids);
        row.put("beforeHistory", unknown);
        row.put("snapshots", images);
        row.put("digest", image == null ? null : String.format("%016x", image.digest()));
        return row;
    }
}
