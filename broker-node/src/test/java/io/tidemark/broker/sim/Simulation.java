package io.tidemark.broker.sim;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * One cluster from one seed: it starts, is written to and read from while faults happen for a minute, is healed, must come
 * to rest, and is looked at as a whole.
 */
final class Simulation {
    static final long WALL_START_MS = 1_600_000_000_000L;
    private static final long SECOND = 1_000_000;
    private static final long FAULTS_FROM = 3 * SECOND;
    private static final long HEAL_AT = 56 * SECOND;
    private static final long WRITE_UNTIL = 60 * SECOND;
    private static final long REST_BY = 100 * SECOND;
    private static final long LOOK_EVERY = SECOND / 5;
    private static final int FIRST_CLIENT = 201;
    /** Those of topics that come and go; what is between is the operator's. */
    private static final int FIRST_LATER_CLIENT = 301;

    /**
     * A batch that a producer with acks=all was told is there.
     *
     * @param exposed it was; else an unclean election had given it up before the former leader's word arrived
     */
    record Acknowledged(PartitionId id, long base, long next, int checksum, long at, boolean exposed) {}

    /**
     * What became of a seed.
     *
     * @param breach null if all held
     * @param acknowledgedByAll batches that a producer with acks=all was told are there
     * @param lostBatches those of them that are not there
     * @param deletedPartitions partitions that went with their topic
     * @param restMicros virtual time from the heal until the cluster was at rest
     */
    record Outcome(
            long seed,
            RuntimeException breach,
            long events,
            long restMicros,
            int faults,
            long acknowledged,
            int uncleanElections,
            int losses,
            long acknowledgedByAll,
            long lostBatches,
            long deletedPartitions,
            long digest,
            List<String> last) {}

    private final long seed;
    private final EventQueue queue = new EventQueue();
    private final Trace trace = new Trace(queue);
    private final Chance chance;
    private final Profile profile;
    /** Null unless only one kind of crash is tried. */
    private final Trial trial;

    private final Network network;
    private final Checks checks;
    private final Controllers controllers;
    private final List<Machine> machines = new ArrayList<>();
    private final Operator operator;
    private final List<Producer> producers = new ArrayList<>();
    private final List<Consumer> consumers = new ArrayList<>();
    private final List<Acknowledged> ledger = new ArrayList<>();
    private final Convergence convergence = new Convergence(this);
    private long restMicros = -1;
    private int nextClient = FIRST_CLIENT;
    private boolean writing = true;

    Simulation(long seed) {
        this(seed, true);
    }

    /** @param faulty false for a cluster that nothing befalls */
    Simulation(long seed, boolean faulty) {
        this(seed, null, faulty ? UnaryOperator.identity() : Profile::quiet);
    }

    /** The cluster of that seed, with one kind of crash as the only fault. */
    Simulation(long seed, Trial trial) {
        this(seed, trial, drawn -> drawn.of(trial));
    }

    private Simulation(long seed, Trial trial, UnaryOperator<Profile> change) {
        this.seed = seed;
        this.trial = trial;
        this.chance = new Chance(seed * 0x9E3779B97F4A7C15L + 1);
        this.profile = change.apply(Profile.of(chance.fork()));
        this.network = new Network(chance.fork());
        this.checks = new Checks(this);
        this.controllers = new Controllers(queue, trace, chance.fork(), checks);
        for (int id = 1; id <= profile.brokers(); id++) {
            machines.add(new Machine(this, id, chance.fork()));
        }
        this.operator = new Operator(this, chance.fork());
    }

    EventQueue queue() {
        return queue;
    }

    Trace trace() {
        return trace;
    }

    Chance chance() {
        return chance;
    }

    Trial trial() {
        return trial;
    }

    Profile profile() {
        return profile;
    }

    Network network() {
        return network;
    }

    Checks checks() {
        return checks;
    }

    Controllers controllers() {
        return controllers;
    }

    Operator operator() {
        return operator;
    }

    Machine machine(int id) {
        return machines.get(id - 1);
    }

    /** The topic that stays, as the controllers have it; null before it is there. */
    TopicState topic() {
        return controllers.newest().topic(Operator.TOPIC);
    }

    /** All topics, as the controllers have them. */
    Collection<TopicState> topics() {
        return controllers.newest().topics().values();
    }

    /** A topic is in the metadata log, other than the one that stays: it is written to and read while it is there. */
    void topicCreated(TopicState created) {
        if (!created.name().equals(Operator.TOPIC)) {
            queue.after(0, () -> {
                if (writing) {
                    nextClient = Math.max(nextClient, FIRST_LATER_CLIENT);
                    startClients(created, 2);
                }
            });
        }
    }

    void acknowledged(Acknowledged batch) {
        ledger.add(batch);
    }

    Outcome run(int lastEvents) {
        RuntimeException breach;
        try {
            play();
            breach = checks.breach();
        } catch (RuntimeException e) {
            breach = checks.breach() != null ? checks.breach() : e;
        }
        int losses = checks.histories().values().stream()
                .mapToInt(PartitionHistory::losses)
                .sum();
        return new Outcome(
                seed,
                breach,
                queue.happened(),
                restMicros,
                operator.faults(),
                producers.stream().mapToLong(Producer::acknowledged).sum(),
                checks.uncleanElections(),
                losses,
                ledger.size(),
                ledger.stream()
                        .filter(batch -> promised(batch) && !isThere(batch))
                        .count(),
                checks.histories().values().stream()
                        .filter(PartitionHistory::deleted)
                        .count(),
                trace.digest(),
                breach == null ? List.of() : trace.last(lastEvents));
    }

    private void play() {
        machines.forEach(Machine::start);
        queue.after(SECOND / 2, operator::createTopic);
        until(FAULTS_FROM);
        if (topic() == null) {
            until(FAULTS_FROM + 5 * SECOND);
        }
        startClients(topic(), profile.producers());
        operator.begin();
        until(HEAL_AT);
        operator.heal();
        until(WRITE_UNTIL);
        writing = false;
        producers.forEach(Producer::stop);
        consumers.forEach(Consumer::stop);
        rest();
        if (checks.breach() == null) {
            convergence.checkLogs();
            checkLedger();
        }
    }

    private void until(long micros) {
        while (checks.breach() == null && queue.step(micros)) {
            // Everything happens in the events.
        }
    }

    private void startClients(TopicState topic, int producersEach) {
        for (PartitionState state : topic.partitions()) {
            PartitionId id = state.id();
            for (int i = 0; i < producersEach; i++) {
                short acks = (short) (i < 2 ? -1 : chance.between(0, 1));
                boolean idempotent = i == 0 || i == 2 && acks == 1;
                int node = nextClient++;
                if (acks == -1) {
                    checks.history(id).lossless(node);
                }
                Producer producer = new Producer(this, node, id, acks, idempotent, chance.fork());
                producers.add(producer);
                producer.start();
            }
            Consumer consumer = new Consumer(this, nextClient++, topic.name(), id, chance.fork());
            consumers.add(consumer);
            consumer.start();
        }
    }

    private void rest() {
        String missing = "never looked";
        while (checks.breach() == null && queue.now() < REST_BY) {
            until(queue.now() + LOOK_EVERY);
            missing = producers.stream().allMatch(Producer::idle) ? convergence.missing() : "a producer waits";
            if (missing == null) {
                restMicros = queue.now() - HEAL_AT;
                return;
            }
        }
        if (checks.breach() == null) {
            checks.breached(new Violation("comes to rest", missing));
        }
    }

    /** Not of what was deleted since. */
    private boolean promised(Acknowledged batch) {
        return !checks.history(batch.id()).deleted();
    }

    private boolean isThere(Acknowledged batch) {
        PartitionHistory.Batch there = checks.history(batch.id()).exposedAt(batch.base());
        return there != null && there.checksum() == batch.checksum();
    }

    /** I3 at the end: what was acknowledged is there. */
    private void checkLedger() {
        for (Acknowledged batch : ledger) {
            if (promised(batch)
                    && !isThere(batch)
                    && batch.exposed()
                    && batch.at() > checks.history(batch.id()).lastLoss()) {
                throw new Violation("I3", "acknowledged " + batch + " is not there");
            }
        }
        for (PartitionState state : topic().partitions()) {
            if (checks.history(state.id()).end() == 0) {
                throw new Violation("progress", "nothing was ever exposed of " + state);
            }
        }
    }
}
