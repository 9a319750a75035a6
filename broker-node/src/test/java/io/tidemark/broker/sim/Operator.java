package io.tidemark.broker.sim;

import io.tidemark.broker.log.SimDisk;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.requests.DeleteRecordsRequest;

/** Whoever runs the cluster, and what befalls it: makes faults, undoes them, changes settings, and heals it at the end. */
final class Operator {
    static final String TOPIC = "t";
    private static final int NODE = 299;

    private final Simulation sim;
    private final Chance chance;
    private final QuorumClient quorum;
    private final FaultAtlas atlas;
    private final Plots plots;
    private final TopicChanges topicChanges;
    private final List<Profile.Fault> kinds;
    private boolean healing;
    private int faults;
    private long leaderlessSince = -1;

    Operator(Simulation sim, Chance chance) {
        this.sim = sim;
        this.chance = chance;
        this.quorum = new QuorumClient(sim, NODE, () -> true);
        this.atlas = new FaultAtlas(sim);
        this.plots = new Plots(sim, chance.fork(), quorum);
        this.topicChanges = new TopicChanges(sim, chance.fork(), quorum);
        this.kinds = new ArrayList<>(sim.profile().faults());
    }

    boolean healing() {
        return healing;
    }

    int faults() {
        return faults;
    }

    void createTopic() {
        List<List<Integer>> assignment = new ArrayList<>();
        for (int i = 0; i < sim.profile().partitions(); i++) {
            List<Integer> replicas = new ArrayList<>();
            for (int j = 0; j < 3; j++) {
                replicas.add(1 + (i + j) % sim.profile().brokers());
            }
            assignment.add(replicas);
        }
        quorum.submit(new QuorumCommand.CreateTopics(
                        List.of(new QuorumCommand.NewTopic(
                                TOPIC,
                                -1,
                                -1,
                                assignment,
                                Map.of(
                                        ClusterImage.MIN_ISR_KEY,
                                        String.valueOf(sim.profile().minIsr())))),
                        false,
                        "operator"))
                .whenComplete((answer, failure) -> {
                    if (sim.topic() == null) {
                        sim.queue().after(300_000, () -> {
                            if (sim.topic() == null) {
                                createTopic();
                            }
                        });
                    }
                });
    }

    void begin() {
        if (sim.trial() != null) {
            attempt(sim.trial(), 1);
        } else if (!kinds.isEmpty()) {
            next();
        }
    }

    private void next() {
        sim.queue().after(chance.delay(50_000, 2 * sim.profile().faultMicros()), () -> {
            if (!healing) {
                faults++;
                make(chance.of(kinds));
                next();
            }
        });
    }

    private Machine anyMachine() {
        return sim.machine(chance.between(1, sim.profile().brokers()));
    }

    private int otherBroker(int broker) {
        int other = chance.between(1, sim.profile().brokers() - 1);
        return other < broker ? other : other + 1;
    }

    /** A machine is down, for whatever reason: it comes back after a while. */
    void machineWentDown(Machine machine) {
        sim.queue().after(healing ? 200_000 : chance.delay(100_000, 5_000_000), machine::start);
    }

    private void loseAll(Machine machine) {
        if (atlas.mayCrash(machine.id())) {
            atlas.loses(machine.id());
            crash(machine, Machine.Crash.POWER);
        }
    }

    /** That machine loses power, if it may, and comes back at once or, if {@code late}, in its own time. */
    void loseAndReturn(Machine machine, boolean late) {
        if (atlas.mayCrash(machine.id())) {
            atlas.loses(machine.id());
            if (late) {
                crash(machine, Machine.Crash.POWER);
            } else {
                machine.crash(Machine.Crash.POWER);
                machine.start();
            }
        }
    }

    /** Every few seconds that crash, of one machine or of all, until the heal. */
    private void attempt(Trial trial, int machine) {
        sim.queue().after(chance.delay(6_000_000, 9_000_000), () -> {
            if (!healing) {
                faults++;
                for (int id = 1; id <= sim.profile().brokers(); id++) {
                    if (trial.together() || id == machine) {
                        crash(sim.machine(id), trial.crash());
                    }
                }
                attempt(trial, machine % sim.profile().brokers() + 1);
            }
        });
    }

    private void undo(long shortest, long longest, Runnable task) {
        sim.queue().after(chance.delay(shortest, longest), task);
    }

    private void make(Profile.Fault fault) {
        Machine machine = anyMachine();
        int id = machine.id();
        sim.trace().note("fault", fault.name(), id);
        switch (fault) {
            case PROCESS_CRASH -> crash(machine, Machine.Crash.PROCESS);
            case POWER_LOSS -> {
                loseAll(machine);
            }
            case BLACKOUT -> {
                for (int each = 1; each <= sim.profile().brokers(); each++) {
                    loseAll(sim.machine(each));
                }
            }
            case CRASH_IN_OPERATION -> {
                if (machine.up() && atlas.mayCrash(id)) {
                    atlas.loses(id);
                    machine.trouble()
                            .endAfter(
                                    chance.between(1, 30),
                                    chance.oneIn(2) ? Machine.Crash.PROCESS : Machine.Crash.POWER);
                }
            }
            case STOP -> {
                if (machine.up()) {
                    machine.process().stop();
                }
            }
            case PAUSE -> machine.pause(chance.delay(50_000, 6_000_000));
            case CUT -> {
                int other = otherBroker(id);
                cut(List.of(other), id, true, true);
            }
            case ONE_WAY_CUT -> cut(List.of(otherBroker(id)), id, true, false);
            case ISOLATION -> cut(everybodyBut(id), id, true, true);
            case NO_CONTROLLERS -> cut(controllers(), id, chance.oneIn(2), true);
            case TROUBLED_LINK -> {
                int other = chance.oneIn(2) ? otherBroker(id) : chance.of(controllers());
                int oneIn = chance.between(2, 20);
                sim.network().trouble(id, other, oneIn);
                sim.network().trouble(other, id, oneIn);
                undo(500_000, 10_000_000, () -> heal(id, other));
            }
            case SLOW_LINK -> {
                int other = chance.oneIn(2) ? otherBroker(id) : chance.of(controllers());
                sim.network().slow(id, other, chance.delay(10_000, 1_500_000));
                sim.network().slow(other, id, chance.delay(10_000, 1_500_000));
                undo(500_000, 10_000_000, () -> heal(id, other));
            }
            case FEED_LAG -> {
                if (machine.up()) {
                    Process process = machine.process();
                    process.feedLag(chance.delay(50_000, 3_000_000));
                    undo(500_000, 8_000_000, () -> process.feedLag(0));
                }
            }
            default -> makeMore(fault, machine);
        }
    }

    private void makeMore(Profile.Fault fault, Machine machine) {
        switch (fault) {
            case QUORUM_LEADER -> sim.controllers().changeLeader();
            case QUORUM_OUTAGE -> {
                sim.controllers().pause();
                undo(100_000, 5_000_000, sim.controllers()::resume);
            }
            case GHOST_ENTRY -> sim.controllers().ghost();
            case SLOW_APPLY -> {
                sim.controllers().slowApply(chance.delay(10_000, 1_000_000));
                undo(500_000, 8_000_000, () -> sim.controllers().slowApply(4_000));
            }
            case MIN_ISR -> {
                if (sim.topic() != null && atlas.mayChangeMinIsr()) {
                    changeMinIsr(anyTopic(), chance.between(1, 3));
                }
            }
            case PREFERRED_LEADER -> {
                if (sim.topic() != null) {
                    quorum.submit(new QuorumCommand.ElectLeaders(List.of(anyPartition()), false, "operator"));
                }
            }
            case REASSIGNMENT -> {
                if (sim.topic() != null) {
                    reassign(anyPartition());
                }
            }
            case DISK_ERROR -> {
                if (machine.up() && atlas.mayLose(machine.id())) {
                    atlas.loses(machine.id());
                    SimDisk.Operation[] operations = SimDisk.Operation.values();
                    machine.trouble()
                            .failAfter(chance.between(1, 10), operations[chance.between(0, operations.length - 1)]);
                    undo(500_000, 6_000_000, () -> restart(machine));
                }
            }
            case DISK_FULL -> {
                if (machine.up() && atlas.mayLose(machine.id())) {
                    atlas.loses(machine.id());
                    machine.trouble().full(true);
                    undo(200_000, 3_000_000, () -> restart(machine));
                }
            }
            case CLOCK_JUMP ->
                sim.controllers()
                        .jumpClock(
                                Controllers.FIRST_ID + chance.between(0, Controllers.COUNT - 1),
                                chance.between(-600_000, 600_000));
            case DELETE_RECORDS -> {
                if (sim.topic() != null) {
                    deleteRecords(anyPartition());
                }
            }
            case LEADER_FLAP -> {
                if (sim.topic() != null) {
                    plots.leaderFlap(anyPartition());
                }
            }
            case LATE_JOIN -> {
                if (sim.topic() != null) {
                    plots.lateJoin(anyPartition());
                }
            }
            case JOIN_OF_THE_GONE -> {
                if (sim.topic() != null) {
                    plots.joinOfTheGone(anyPartition());
                }
            }
            case LOST_TAIL -> {
                if (sim.topic() != null) {
                    plots.lostTail(anyPartition());
                }
            }
            case TOPIC_CHANGE -> topicChanges.change();
            default -> throw new IllegalStateException("nobody makes " + fault);
        }
    }

    private void changeMinIsr(TopicState topic, int minIsr) {
        quorum.submit(new QuorumCommand.AlterConfigs(
                List.of(new QuorumCommand.ConfigChange(
                        ConfigResource.topic(topic.name()),
                        false,
                        List.of(new QuorumCommand.ConfigEdit(
                                QuorumCommand.ConfigEdit.Kind.SET, ClusterImage.MIN_ISR_KEY, String.valueOf(minIsr))))),
                false,
                "operator"));
    }

    private void deleteRecords(PartitionId id) {
        PartitionState state = sim.controllers().newest().partition(id);
        Process leader = state.hasLeader() ? sim.machine(state.leader()).process() : null;
        if (leader == null || !leader.listening()) {
            return;
        }
        PartitionHistory history = sim.checks().history(id);
        int below = chance.between(0, (int) history.end());
        history.mayDelete(below);
        DeleteRecordsRequestData data = new DeleteRecordsRequestData().setTimeoutMs(1_000);
        data.topics()
                .add(new DeleteRecordsRequestData.DeleteRecordsTopic()
                        .setName(sim.controllers().newest().topic(id.topicId()).name())
                        .setPartitions(List.of(new DeleteRecordsRequestData.DeleteRecordsPartition()
                                .setPartitionIndex(id.partition())
                                .setOffset(below))));
        leader.serve(
                leader.anyLoop(),
                new DeleteRecordsRequest.Builder(data).build((short) 2),
                response -> sim.trace().note("records deleted", id.partition()));
    }

    private TopicState anyTopic() {
        return chance.of(List.copyOf(sim.topics()));
    }

    private PartitionId anyPartition() {
        TopicState topic = anyTopic();
        return new PartitionId(topic.id(), chance.between(0, topic.partitions().size() - 1));
    }

    private void reassign(PartitionId id) {
        List<Integer> brokers = new ArrayList<>();
        for (int i = 1; i <= sim.profile().brokers(); i++) {
            brokers.add(chance.between(0, brokers.size()), i);
        }
        List<Integer> target = chance.oneIn(5) ? null : List.copyOf(brokers.subList(0, 3));
        quorum.submit(new QuorumCommand.AlterReassignments(
                List.of(new QuorumCommand.Reassignment(id, target)), false, "operator"));
    }

    private void crash(Machine machine, Machine.Crash kind) {
        if (machine.up() || kind == Machine.Crash.POWER) {
            boolean wasUp = machine.up();
            machine.crash(kind);
            if (wasUp) {
                machineWentDown(machine);
            }
        }
    }

    /** What does not work any more is restarted; a process that has stopped by itself comes back anyway. */
    private void restart(Machine machine) {
        machine.trouble().clear();
        if (machine.up()) {
            atlas.loses(machine.id());
            crash(machine, Machine.Crash.PROCESS);
        }
    }

    private List<Integer> controllers() {
        List<Integer> ids = new ArrayList<>();
        for (int i = 0; i < Controllers.COUNT; i++) {
            ids.add(Controllers.FIRST_ID + i);
        }
        return ids;
    }

    private List<Integer> everybodyBut(int broker) {
        List<Integer> ids = controllers();
        for (int i = 1; i <= sim.profile().brokers(); i++) {
            if (i != broker) {
                ids.add(i);
            }
        }
        return ids;
    }

    private void cut(List<Integer> others, int id, boolean from, boolean to) {
        for (int other : others) {
            if (from) {
                sim.network().cut(id, other);
            }
            if (to) {
                sim.network().cut(other, id);
            }
        }
        undo(100_000, 8_000_000, () -> others.forEach(other -> heal(id, other)));
    }

    private void heal(int one, int other) {
        sim.network().heal(one, other);
        sim.network().heal(other, one);
    }

    // ---- the end ----

    /** From here on nothing goes wrong any more. */
    void heal() {
        healing = true;
        sim.trace().note("heal");
        sim.network().heal();
        sim.controllers().resume();
        sim.controllers().slowApply(4_000);
        for (int i = 1; i <= sim.profile().brokers(); i++) {
            Machine machine = sim.machine(i);
            boolean broken = machine.trouble().hasFailed();
            machine.trouble().clear();
            machine.pause(0);
            if (!machine.up()) {
                machine.start();
            } else {
                machine.process().feedLag(0);
                if (broken || machine.process().hosts().stream().anyMatch(PartitionHost::failed)) {
                    restart(machine);
                }
            }
        }
        watchLeaderless();
    }

    /** Partitions whose every seat was lost need somebody to decide; only with the faults beyond the atlas. */
    private void watchLeaderless() {
        List<PartitionId> stuck = new ArrayList<>();
        for (TopicState topic : sim.topics()) {
            for (PartitionState state : topic.partitions()) {
                if (!state.hasLeader()
                        && state.isr().isEmpty()
                        && state.elr().stream().allMatch(state::waitsForFloor)) {
                    stuck.add(state.id());
                }
            }
        }
        if (stuck.isEmpty()) {
            leaderlessSince = -1;
        } else if (leaderlessSince < 0) {
            leaderlessSince = sim.queue().now();
        } else if (sim.queue().now() - leaderlessSince > 3_000_000) {
            leaderlessSince = -1;
            sim.trace().note("unclean election", stuck.size());
            quorum.submit(new QuorumCommand.ElectLeaders(stuck, true, "operator"));
        }
        sim.queue().after(500_000, this::watchLeaderless);
    }
}
