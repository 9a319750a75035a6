package io.tidemark.quorum.core;

import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.controller.KafkaOracle.Member;

/** A step that may well happen in that cluster, sometimes one that should not; follows from seed and cluster alone. */
final class StepChance {
    private static final int BROKERS = SideBySide.BROKERS;

    private final Seeded chance;
    private final ClusterImage image;

    private StepChance(long seed, ClusterImage image) {
        this.chance = new Seeded(seed);
        this.image = image;
    }

    static Step step(long seed, ClusterImage image) {
        return new StepChance(seed, image).step();
    }

    private Step step() {
        int kind = chance.below(100);
        if (kind < 10) {
            return register();
        } else if (kind < 32) {
            return heartbeat();
        } else if (kind < 34) {
            return new Step.SessionsRunOut();
        } else if (kind < 41) {
            return fence();
        } else if (kind < 42) {
            return new Step.Unregister(broker());
        } else if (kind < 46) {
            return create();
        } else if (kind < 47) {
            return grow();
        } else if (kind < 48) {
            return chance.below(3) == 0 ? new Step.Delete(topic()) : grow();
        } else if (kind < 52) {
            return config();
        } else if (kind < 56) {
            PartitionState state = partition();
            return new Step.Elect(
                    chance.below(3) == 0, state == null ? "missing" : name(state), state == null ? 0 : number(state));
        } else if (kind < 57) {
            return new Step.Balance(chance.below(2) == 0);
        } else if (kind < 68) {
            return reassign();
        }
        return alter();
    }

    private boolean oneIn(int many) {
        return chance.below(many) == 0;
    }

    private int broker() {
        return 1 + chance.below(BROKERS);
    }

    private String topic() {
        return "t" + chance.below(3);
    }

    /** Any partition, or null if there is none. */
    private PartitionState partition() {
        List<PartitionState> all = new ArrayList<>();
        new TreeMap<>(byName()).values().forEach(topic -> topic.partitions().forEach(all::add));
        return all.isEmpty() ? null : all.get(chance.below(all.size()));
    }

    private Map<String, TopicState> byName() {
        Map<String, TopicState> topics = new TreeMap<>();
        image.topics().values().forEach(topic -> topics.put(topic.name(), topic));
        return topics;
    }

    private String name(PartitionState state) {
        return image.topic(state.id().topicId()).name();
    }

    private int number(PartitionState state) {
        return state.id().partition();
    }

    private long epoch(int id) {
        BrokerState broker = image.broker(id);
        return broker == null ? -1 : broker.epoch();
    }

    private Step register() {
        int id = broker();
        BrokerState old = image.broker(id);
        boolean otherDisk = oneIn(12);
        int disk = otherDisk ? 10 * id + chance.below(3) : oneIn(30) ? 10 * broker() : diskOf(id, old);
        boolean sameDisk = old != null && old.directoryIds().contains("disk-" + disk + "a");
        Step.Evidence evidence = sameDisk ? Step.Evidence.values()[chance.below(3)] : Step.Evidence.NONE;
        // Kafka forgets where in its shutdown a process is that registers again, and lets it stop at once (R7.2).
        int incarnation = old != null && !old.shuttingDown() && oneIn(10) ? incarnationOf(old) : (int) image.index();
        return new Step.Register(id, incarnation, disk, evidence, chance.below(4));
    }

    private static int diskOf(int id, BrokerState old) {
        if (old == null) {
            return 10 * id;
        }
        String directory = old.directoryIds().get(0);
        return Integer.parseInt(directory.substring("disk-".length(), directory.length() - 1));
    }

    private static int incarnationOf(BrokerState old) {
        return Integer.parseInt(old.incarnationId().substring("incarnation-".length()));
    }

    private Step heartbeat() {
        int id = broker();
        BrokerState broker = image.broker(id);
        boolean shuttingDown = broker != null && broker.shuttingDown();
        return new Step.Heartbeat(
                id,
                epoch(id) - (oneIn(25) ? 1 : 0),
                oneIn(8) ? epoch(id) - 1 : image.index(),
                oneIn(25),
                shuttingDown || oneIn(12)); // a process that wants to stop does not change its mind
    }

    private Step fence() {
        List<Integer> brokers = new ArrayList<>();
        int many = oneIn(3) ? 2 + chance.below(2) : 1;
        for (int i = 0; i < many; i++) {
            int id = broker();
            if (image.broker(id) != null && !brokers.contains(id)) {
                brokers.add(id);
            }
        }
        return brokers.isEmpty() ? new Step.SessionsRunOut() : new Step.Fence(brokers);
    }

    private List<Integer> replicas(int most) {
        List<Integer> all = new ArrayList<>();
        for (int id = 1; id <= BROKERS; id++) {
            all.add(id);
        }
        chance.shuffle(all);
        List<Integer> chosen = new ArrayList<>(all.subList(0, 1 + chance.below(most)));
        if (oneIn(40)) {
            chosen.add(chosen.get(0));
        }
        return chosen;
    }

    private Step create() {
        Map<String, String> configs = Map.of(
                ClusterImage.MIN_ISR_KEY, "" + (1 + chance.below(3)), RecoveryStrategy.UNCLEAN_KEY, "" + oneIn(4));
        if (oneIn(3)) {
            return new Step.Create(
                    topic(), oneIn(15) ? 0 : 1 + chance.below(3), oneIn(15) ? 0 : 1 + chance.below(4), null, configs);
        }
        List<List<Integer>> lists = new ArrayList<>();
        List<Integer> first = replicas(4);
        lists.add(first);
        for (int i = chance.below(3); i > 0; i--) {
            List<Integer> next = new ArrayList<>(first);
            chance.shuffle(next);
            lists.add(next);
        }
        return new Step.Create(topic(), -1, -1, lists, configs);
    }

    private Step grow() {
        String name = topic();
        TopicState topic = image.topic(name);
        int present = topic == null ? 0 : topic.partitions().size();
        if (present >= 4) {
            return new Step.Delete(name);
        }
        if (topic != null && replicaCounts(topic) > 1) {
            return reassign(); // Kafka takes the count of the new one from any of the others, ours from the first
            // (R7.81)
        }
        return oneIn(2)
                ? new Step.Grow(name, present + 1, List.of(replicas(4)))
                : new Step.Grow(name, present + chance.below(2), null);
    }

    private static long replicaCounts(TopicState topic) {
        return topic.partitions().stream()
                .map(state -> state.replicas().size())
                .distinct()
                .count();
    }

    private Step config() {
        String topic = oneIn(6) ? null : topic();
        if (topic != null && image.topic(topic) == null) {
            return create();
        }
        if (oneIn(3)) {
            return new Step.Config(topic, RecoveryStrategy.UNCLEAN_KEY, oneIn(3) ? null : "" + oneIn(2));
        }
        boolean delete = topic != null ? oneIn(4) : oneIn(10);
        // A topic's is refused above that, which Kafka does not do.
        int most = topic == null
                ? 3
                : image.topic(topic).partitions().stream()
                        .mapToInt(PartitionState::targetReplicas)
                        .max()
                        .orElse(1);
        return new Step.Config(
                topic, ClusterImage.MIN_ISR_KEY, delete ? null : "" + (1 + chance.below(Math.min(3, most))));
    }

    private Step reassign() {
        PartitionState state = partition();
        if (state == null || oneIn(30)) {
            return new Step.Reassign("missing", 0, oneIn(2) ? null : List.of(1), true);
        }
        List<Integer> target = state.reassigning() && oneIn(3) || oneIn(12) ? null : replicas(4);
        if (target != null && oneIn(8)) {
            target = new ArrayList<>(state.replicas());
            chance.shuffle(target);
        }
        return new Step.Reassign(name(state), number(state), target, !oneIn(6));
    }

    /** Mostly what a leader could really propose. */
    private Step alter() {
        PartitionState state = partition();
        if (state == null) {
            return create();
        }
        List<Member> isr = new ArrayList<>();
        boolean grows = oneIn(2);
        List<Integer> candidates = new ArrayList<>(state.isr());
        state.replicas().stream()
                .filter(replica -> !state.isr().contains(replica))
                .forEach(candidates::add);
        for (int replica : candidates) {
            boolean member = state.isr().contains(replica);
            boolean wanted = replica == state.leader()
                    ? !oneIn(30)
                    : member ? grows || oneIn(2) : grows && (activeNow(replica) ? !oneIn(4) : oneIn(12));
            if (wanted) {
                long epoch = epoch(replica) - (oneIn(30) ? 1 : 0);
                isr.add(new Member(replica, oneIn(10) ? -1 : epoch));
            }
        }
        if (oneIn(40)) {
            isr.add(new Member(broker(), -1));
        }
        int sender = state.hasLeader() && !oneIn(25) ? state.leader() : broker();
        return new Step.Alter(
                sender,
                epoch(sender) - (oneIn(30) ? 1 : 0),
                oneIn(50) ? null : name(state),
                number(state) + (oneIn(60) ? 10 : 0),
                state.leaderEpoch() + (oneIn(25) ? chance.below(3) - 1 : 0),
                state.partitionEpoch() + (oneIn(25) ? chance.below(3) - 1 : 0),
                state.recovering() ? oneIn(3) : oneIn(40),
                isr,
                chance.below(4) - 1);
    }

    private boolean activeNow(int id) {
        return PartitionMoves.active(image, id);
    }
}
