package io.tidemark.broker.explore;

import io.tidemark.broker.replica.BrokerView;
import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.model.Check;
import io.tidemark.model.MonoTime;
import io.tidemark.model.PartitionId;
import io.tidemark.model.WallTime;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;
import io.tidemark.model.metadata.QuorumCommand.ConfigEdit;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.SeatReport;
import io.tidemark.quorum.core.Controller;
import io.tidemark.quorum.core.ControllerSettings;
import io.tidemark.quorum.core.DecideContext;
import io.tidemark.quorum.core.Decision;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The states of the metadata, each as a number: {@link Controller#decide} and the fold, executed once for each state and
 * command. An entry without records leaves the state, and its index, as they are.
 */
final class Images {
    static final String CLUSTER = "explored";
    private static final String TOPIC = "t";
    /** From one registration to the next there are so many entries at most. */
    private static final int REGISTRATION = 10_000;
    /** From one change of the partition to the next. */
    private static final int CHANGE = 100;

    private static final ControllerSettings SETTINGS = new ControllerSettings(CLUSTER, 1, 3);
    /** No session is consulted: directories are shared by incarnations of one broker, and nobody answers any more. */
    private static final DecideContext CONTEXT =
            new DecideContext(new WallTime(0), new MonoTime(0), 1, id -> true, id -> false, id -> false, SETTINGS);

    /** What makes two images the same: the index decides which entries are still to be learned. */
    private record Key(long index, PartitionState partition, List<BrokerState> brokers) {}

    private record Asked(int image, QuorumCommand command) {}

    /** The state after a command, and what its sender is told. */
    record Decided(int image, QuorumReply reply) {}

    private final Interned<Key> keys = new Interned<>();
    private final List<ClusterImage> images = new ArrayList<>();
    /** Equal ones are one object. */
    private final List<PartitionState> partitions = new ArrayList<>();

    private final Map<PartitionState, PartitionState> canonical = new HashMap<>();
    private final List<Map<Integer, BrokerView>> views = new ArrayList<>();
    private final Map<Asked, Decided> decisions = new HashMap<>();
    /** Null until there is a topic. */
    final PartitionId partition;
    /** The first state, in which all brokers are registered and unfenced. */
    final int first;

    Images(Bounds bounds) {
        ClusterImage image = ClusterImage.EMPTY;
        image = after(image, new QuorumCommand.Bootstrap(1, Map.of("unclean.recovery.strategy", "none")));
        for (int id = 1; id <= Cluster.BROKERS; id++) {
            image = after(image, registration(id, "first", -1, "boot", List.of()));
            image = after(image, new QuorumCommand.UnfenceBroker(ref(image, id)));
        }
        image = after(
                image,
                new QuorumCommand.CreateTopics(
                        List.of(new QuorumCommand.NewTopic(
                                TOPIC,
                                -1,
                                -1,
                                List.of(List.of(1, 2, 3)),
                                Map.of(ClusterImage.MIN_ISR_KEY, String.valueOf(bounds.get("min"))))),
                        false,
                        ""));
        partition = new PartitionId(image.topic(TOPIC).id(), 0);
        for (int id = 1; id <= Cluster.BROKERS; id++) {
            if (!bounds.isr().contains(id)) {
                image = after(image, new QuorumCommand.FenceBrokers(List.of(ref(image, id)), ""));
                image = after(image, new QuorumCommand.UnfenceBroker(ref(image, id)));
            }
        }
        Check.that(
                image.configs(ConfigResource.topic(TOPIC)).containsKey(ClusterImage.MIN_ISR_KEY)
                        && image.partition(partition).isr().equals(bounds.isr()),
                "the first state is as asked for");
        first = intern(image);
    }

    /** @param bootEvidence the same as before if the log is known to be as it was left */
    static QuorumCommand.RegisterBroker registration(
            int id, String incarnation, long previousEpoch, String bootEvidence, List<SeatReport> reports) {
        return new QuorumCommand.RegisterBroker(
                CLUSTER,
                id,
                incarnation,
                List.of("directory-" + id),
                List.of(),
                "",
                previousEpoch,
                bootEvidence,
                true,
                1,
                1,
                reports);
    }

    /** The change of the topic's min ISR. */
    QuorumCommand minIsr(int value) {
        ConfigEdit edit = new ConfigEdit(ConfigEdit.Kind.SET, ClusterImage.MIN_ISR_KEY, String.valueOf(value));
        return new QuorumCommand.AlterConfigs(
                List.of(new QuorumCommand.ConfigChange(ConfigResource.topic(TOPIC), false, List.of(edit))), false, "");
    }

    private static BrokerRef ref(ClusterImage image, int id) {
        return new BrokerRef(id, image.broker(id).epoch());
    }

    private ClusterImage after(ClusterImage image, QuorumCommand command) {
        Decision decision = Controller.decide(image, command, CONTEXT);
        return decision.records().isEmpty() ? image : folded(image, decision);
    }

    /**
     * Entries are numbered with gaps, as they are in a log that other entries go to as well: a registration gets the next
     * number of its kind whenever it happens, and a change of the partition that of its epoch. So the same events in another
     * order do not make other broker epochs and indexes.
     */
    private ClusterImage folded(ClusterImage image, Decision decision) {
        MetadataEntry entry = new MetadataEntry(image.tip(), 0, decision.cause(), decision.records(), decision.reply());
        ClusterImage next = image.apply(image.index() + 1, entry);
        long registrations = image.index() / REGISTRATION * REGISTRATION;
        if (decision.reply() instanceof QuorumReply.Registered) {
            return image.apply(registrations + REGISTRATION, entry);
        }
        PartitionState state = partition == null ? null : next.partition(partition);
        long index = state == null ? 0 : registrations + (long) CHANGE * state.partitionEpoch();
        return index <= next.index() ? next : image.apply(index, entry);
    }

    private int intern(ClusterImage image) {
        List<BrokerState> brokers = new ArrayList<>();
        Map<Integer, BrokerView> seen = new HashMap<>();
        for (int id = 1; id <= Cluster.BROKERS; id++) {
            BrokerState broker = image.broker(id);
            brokers.add(broker);
            seen.put(id, new BrokerView(id, broker.epoch(), broker.active()));
        }
        PartitionState state = canonical.computeIfAbsent(image.partition(partition), same -> same);
        int number = keys.of(new Key(image.index(), state, brokers));
        if (number == images.size()) {
            images.add(image);
            partitions.add(state);
            views.add(seen);
        }
        return number;
    }

    Decided decide(int image, QuorumCommand command) {
        Asked asked = new Asked(image, command);
        Decided known = decisions.get(asked);
        if (known == null) {
            ClusterImage before = images.get(image);
            Decision decision = Controller.decide(before, command, CONTEXT);
            int next = decision.records().isEmpty() ? image : intern(folded(before, decision));
            known = new Decided(next, decision.reply());
            decisions.put(asked, known);
        }
        return known;
    }

    PartitionState partition(int image) {
        return partitions.get(image);
    }

    BrokerState broker(int image, int id) {
        return keys.get(image).brokers().get(id - 1);
    }

    long index(int image) {
        return images.get(image).index();
    }

    int size() {
        return images.size();
    }

    /** What a broker is told that goes from one state, or none if that is -1, to another, in order. */
    List<ReplicaEvent> news(int from, int to, int broker) {
        List<ReplicaEvent> events = new ArrayList<>(2);
        PartitionState after = partitions.get(to);
        long index = index(to);
        if (from < 0 || partitions.get(from) != after) {
            events.add(new ReplicaEvent.MetadataChanged(after, views.get(to), index));
        } else if (after.leader() == broker
                && !keys.get(from).brokers().equals(keys.get(to).brokers())) {
            events.add(new ReplicaEvent.EligibilityChanged(views.get(to), index));
        }
        events.add(new ReplicaEvent.FeedReached(index));
        return events;
    }
}
