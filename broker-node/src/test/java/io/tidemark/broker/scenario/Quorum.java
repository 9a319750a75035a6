package io.tidemark.broker.scenario;

import io.tidemark.model.MonoTime;
import io.tidemark.model.PartitionId;
import io.tidemark.model.WallTime;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.quorum.core.Controller;
import io.tidemark.quorum.core.ControllerSettings;
import io.tidemark.quorum.core.DecideContext;
import io.tidemark.quorum.core.Decision;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The controllers: the real decisions, over an ordered log whose entries are committed at once. */
final class Quorum {
    static final String CLUSTER_ID = "scenario";
    private static final QuorumReply VOID =
            new QuorumReply.Refused(ErrorCode.VOID_ENTRY, "decided on a state that did not come to be");

    private final Out out;
    /** The image at the index of every entry. */
    private final NavigableMap<Long, ClusterImage> images = new TreeMap<>();

    Quorum(Out out) {
        this.out = out;
        images.put(-1L, ClusterImage.EMPTY);
    }

    ClusterImage image() {
        return images.lastEntry().getValue();
    }

    ClusterImage image(long index) {
        return images.floorEntry(index).getValue();
    }

    /** The images after {@code index}, up to {@code last}, in order. */
    List<ClusterImage> between(long index, long last) {
        return List.copyOf(images.subMap(index, false, last, true).values());
    }

    /** An entry that the script wants, whatever a controller would think of it. */
    void put(long index, List<MetadataRecord> records) {
        append(image(), index, cause("Script"), records, new QuorumReply.Done());
    }

    private static MetadataEntry.Cause cause(String kind) {
        return new MetadataEntry.Cause(kind, -1, -1, "", "");
    }

    QuorumReply.Answer decide(QuorumCommand command, long now) {
        return decide(command, now, image(), nextIndex());
    }

    long nextIndex() {
        return image().index() + 1;
    }

    /** Decided on {@code seen}; void if that is not the newest. */
    QuorumReply.Answer decide(QuorumCommand command, long now, ClusterImage seen, long index) {
        DecideContext context = new DecideContext(
                new WallTime(now),
                new MonoTime(now),
                0,
                id -> {
                    BrokerState broker = seen.broker(id);
                    return broker != null && !broker.fenced();
                },
                id -> false,
                id -> false,
                new ControllerSettings(CLUSTER_ID, 1, 3));
        Decision decision = Controller.decide(seen, command, context);
        boolean effective = append(seen, index, decision.cause(), decision.records(), decision.reply());
        return new QuorumReply.Answer(index, effective ? decision.reply() : VOID);
    }

    private boolean append(
            ClusterImage seen, long index, MetadataEntry.Cause cause, List<MetadataRecord> records, QuorumReply reply) {
        ClusterImage before = image();
        MetadataEntry entry = new MetadataEntry(seen.tip(), before.timestampMs(), cause, records, reply);
        boolean effective = before.chains(entry);
        ClusterImage after = before.apply(index, entry);
        images.put(index, after);
        if (!effective) {
            out.say("@%d void", index);
        } else if (!says(index, before, after)) {
            out.say("@%d changes no partition", index);
        }
        if (effective && cause.reason().contains("unclean election")) {
            out.say("  %s", cause.reason().substring(cause.reason().indexOf("unclean election")));
        }
        return effective;
    }

    /** The partitions that are not as before. */
    private boolean says(long index, ClusterImage before, ClusterImage after) {
        boolean any = false;
        for (var topic : after.topics().values()) {
            for (var state : topic.partitions()) {
                var old = before.partition(state.id());
                if (!state.equals(old)) {
                    out.say(
                            "@%d %s%s",
                            index,
                            topic.partitions().size() > 1 ? "p" + state.id().partition() + " " : "",
                            Words.of(state, old));
                    any = true;
                }
            }
        }
        return any;
    }

    /** Everything that the metadata has of that partition and of the brokers. */
    void show(PartitionId id) {
        ClusterImage image = image();
        if (image.partition(id) != null) {
            out.say("@%d %s", image.index(), Words.of(image.partition(id), null));
        }
        StringBuilder brokers = new StringBuilder();
        new TreeMap<>(image.brokers())
                .forEach((number, broker) -> brokers.append(' ')
                        .append(number)
                        .append('@')
                        .append(broker.epoch())
                        .append(broker.fenced() ? " fenced" : broker.shuttingDown() ? " shutting down" : ""));
        out.say("brokers%s", brokers);
    }
}
