package io.tidemark.quorum.inspect;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.TopicState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What happened to one partition, a sentence each: every change of its state with its cause and what it ended, and what
 * its brokers went through meanwhile.
 */
final class Story implements Timeline.Visitor {
    private final String topic;
    private final int partition;
    private final StoryReduction reduction;
    private final Teller teller;
    private final Interval leaderless = new Interval();
    private final Interval underMinIsr = new Interval();
    private final Interval incomplete = new Interval();
    private ClusterImage latest;

    /** Takes the sentences. */
    interface Teller {
        /** False for enough. */
        boolean tell(Sentence sentence) throws IOException;
    }

    /**
     * @param index of the entry; {@code timeMs} its wall clock
     * @param cause null where there is none: the beginning of history, missing entries
     * @param before null if the partition was not there; {@code after} likewise
     */
    record Sentence(
            long index,
            long timeMs,
            String text,
            MetadataEntry.Cause cause,
            PartitionState before,
            PartitionState after) {}

    /** Since when something holds, on the entries' clock. */
    private static final class Interval {
        private long since = -1;

        /** How long it held if it ends now, else -1. */
        long turn(boolean holds, long nowMs) {
            if (holds) {
                since = since < 0 ? nowMs : since;
                return -1;
            }
            long held = since < 0 ? -1 : nowMs - since;
            since = -1;
            return held;
        }
    }

    Story(String topic, int partition, StoryReduction reduction, Teller teller) {
        this.topic = topic;
        this.partition = partition;
        this.reduction = reduction;
        this.teller = teller;
    }

    /** The state at the end of what was told; null if it is not known. */
    ClusterImage latest() {
        return latest;
    }

    PartitionState in(ClusterImage image) {
        TopicState state = image == null ? null : image.topic(topic);
        return state == null ? null : state.partition(partition);
    }

    @Override
    public void known(ClusterImage image) throws IOException {
        reduction.learn(image);
        PartitionState state = in(image);
        latest = image;
        if (state != null) {
            turns(state, image.timestampMs());
            tell(
                    image.index(),
                    image.timestampMs(),
                    "known from here on: " + PartitionWords.state(state),
                    null,
                    null,
                    state);
        }
    }

    @Override
    public void gap(long first, long last) throws IOException {
        if (latest != null) {
            tell(
                    first,
                    latest.timestampMs(),
                    "what happened from index " + first + " to " + last + " is not known",
                    null,
                    null,
                    null);
        }
        latest = null;
    }

    @Override
    public boolean step(Timeline.Step step) throws IOException {
        if (!step.known()) {
            return true;
        }
        latest = step.after();
        if (!step.effective() || step.entry().records().isEmpty()) {
            return true;
        }
        PartitionState before = in(step.before());
        PartitionState after = in(step.after());
        boolean same = before == null ? after == null : before.equals(after);
        String words = same ? companions(step, after) : changed(step, before, after);
        return words == null
                || tell(
                        step.raw().index(),
                        step.entry().timestampMs(),
                        words,
                        step.entry().cause(),
                        before,
                        after);
    }

    private boolean tell(
            long index,
            long timeMs,
            String text,
            MetadataEntry.Cause cause,
            PartitionState before,
            PartitionState after)
            throws IOException {
        return teller.tell(new Sentence(index, timeMs, text, cause, before, after));
    }

    private String changed(Timeline.Step step, PartitionState before, PartitionState after) {
        long now = step.entry().timestampMs();
        PartitionId id = (after == null ? before : after).id();
        String cause = CauseWords.of(step.entry(), step.raw().index(), id);
        if (after == null) {
            leaderless.since = -1;
            underMinIsr.since = -1;
            incomplete.since = -1;
            return cause;
        }
        if (before == null || !before.id().equals(after.id())) {
            turns(after, now);
            return cause + ": " + PartitionWords.state(after);
        }
        return cause + "; " + PartitionWords.change(before, after) + turns(after, now);
    }

    /** What this state ends, and for how long it was so. */
    private String turns(PartitionState state, long nowMs) {
        List<String> ended = new ArrayList<>();
        long offline = leaderless.turn(!state.hasLeader(), nowMs);
        long under = underMinIsr.turn(state.underMinIsr(), nowMs);
        long missing = incomplete.turn(state.isr().size() < state.replicas().size(), nowMs);
        if (offline >= 0) {
            ended.add("it had no leader for " + Moments.duration(offline));
        }
        if (under >= 0) {
            ended.add("its ISR was below the min ISR for " + Moments.duration(under));
        }
        if (missing >= 0) {
            ended.add("all replicas are in sync again, after " + Moments.duration(missing));
        }
        return ended.isEmpty() ? "" : " (" + String.join("; ", ended) + ")";
    }

    /** What a broker of this partition went through without a change of the partition; null if none did. */
    private String companions(Timeline.Step step, PartitionState state) {
        if (state == null) {
            return null;
        }
        for (MetadataRecord record : step.entry().records()) {
            int broker = EntryFilter.brokerOf(record);
            if (broker >= 0 && state.replicas().contains(broker)) {
                return CauseWords.of(step.entry(), step.raw().index(), state.id());
            }
        }
        return null;
    }

    /** How the partition and its brokers stand at the end. */
    String conclusion() {
        PartitionState state = in(latest);
        if (state == null) {
            return latest == null ? "how it stands is not known" : "there is no such partition";
        }
        List<String> absent = new ArrayList<>();
        for (int id : state.replicas()) {
            BrokerState broker = latest.broker(id);
            if (broker == null) {
                absent.add("broker " + id + " is not registered");
            } else if (!broker.active()) {
                absent.add("broker " + id + " is " + StateText.state(broker));
            }
        }
        return PartitionWords.state(state) + (absent.isEmpty() ? "" : " (" + String.join(", ", absent) + ")");
    }
}
