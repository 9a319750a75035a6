package io.tidemark.broker.sim;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import java.util.ArrayList;
import java.util.List;

/** Faults in an order that chance alone hardly ever finds; when exactly, and what else happens meanwhile, is left to it. */
final class Plots {
    private static final int NOBODY = -1;

    private static final long SECOND = 1_000_000;

    private final Simulation sim;
    private final Chance chance;
    private final QuorumClient quorum;

    Plots(Simulation sim, Chance chance, QuorumClient quorum) {
        this.sim = sim;
        this.chance = chance;
        this.quorum = quorum;
    }

    private void in(long micros, Runnable task) {
        sim.queue().after(micros, () -> {
            if (!sim.operator().healing()) {
                task.run();
            }
        });
    }

    private PartitionState state(PartitionId id) {
        return sim.controllers().newest().partition(id);
    }

    /** A leader loses the partition to its first replica and has it back before it hears of either (K3). */
    void leaderFlap(PartitionId id) {
        PartitionState state = state(id);
        int first = state.replicas().get(0);
        if (!state.hasLeader() || !state.isr().contains(first) || state.leader() == first) {
            return;
        }
        int leader = state.leader();
        Process process = sim.machine(leader).process();
        if (process == null) {
            return;
        }
        process.feedLag(4 * SECOND);
        slow(first, leader, chance.delay(SECOND / 10, SECOND));
        in(chance.delay(SECOND / 50, SECOND), () -> {
            quorum.submit(new QuorumCommand.ElectLeaders(List.of(id), false, "operator"));
            in(chance.delay(SECOND / 10, SECOND), () -> {
                if (sim.machine(first).up()) {
                    sim.machine(first).process().stop();
                }
                in(SECOND, () -> {
                    process.feedLag(0);
                    sim.network().heal(first, leader);
                    sim.network().heal(leader, first);
                });
            });
        });
    }

    private void slow(int one, int other, long micros) {
        sim.network().slow(one, other, micros);
        sim.network().slow(other, one, micros);
    }

    /**
     * A replica that lags comes back while its session runs out: the change that lets it in is late, the second attempt is
     * refused, and the first arrives when the replica is there again but far behind (K2).
     */
    void lateJoin(PartitionId id) {
        PartitionState state = state(id);
        int joiner = follower(state);
        if (joiner == NOBODY) {
            return;
        }
        int leader = state.leader();
        Process process = sim.machine(leader).process();
        if (process == null) {
            return;
        }
        cut(joiner, leader);
        in(sim.profile().lagTimeMaxMs() * 1000 + SECOND, () -> {
            cutControllers(joiner);
            in(17 * SECOND / 10 + chance.delay(0, SECOND / 2), () -> {
                mend(joiner, leader);
                sim.network().lateChanges(leader, 1, 2 * SECOND + chance.delay(0, 2 * SECOND));
                in(SECOND + chance.delay(0, SECOND / 4), () -> {
                    process.feedLag(5 * SECOND);
                    cut(joiner, leader);
                    mendControllers(joiner);
                    in(4 * SECOND, () -> {
                        process.feedLag(0);
                        mend(joiner, leader);
                    });
                });
            });
        });
    }

    /** Any replica of a partition that has a leader but that one; or NOBODY. */
    private int follower(PartitionState state) {
        List<Integer> others = new ArrayList<>(state.replicas());
        others.remove((Integer) state.leader());
        return state.hasLeader() && !others.isEmpty() ? chance.of(others) : NOBODY;
    }

    private void cut(int one, int other) {
        sim.network().cut(one, other);
        sim.network().cut(other, one);
    }

    /**
     * A replica comes back into the ISR and is gone before the controllers hear of it: it has lost what it held and is
     * there again as another incarnation, or is away, or stops. What its leader asked for arrives then.
     */
    void joinOfTheGone(PartitionId id) {
        PartitionState state = state(id);
        int joiner = follower(state);
        if (joiner == NOBODY) {
            return;
        }
        int leader = state.leader();
        cut(joiner, leader);
        in(sim.profile().lagTimeMaxMs() * 1000 + SECOND, () -> {
            // Whatever else the leader asks for is no faster, so that nothing overtakes it.
            sim.network().lateChanges(leader, 12, chance.delay(SECOND / 2, 4 * SECOND));
            mend(joiner, leader);
            in(chance.delay(SECOND / 10, SECOND), () -> {
                int kind = chance.between(0, 3);
                if (kind == 0 && sim.machine(joiner).up()) {
                    sim.machine(joiner).process().stop();
                } else {
                    sim.operator().loseAndReturn(sim.machine(joiner), kind == 1);
                }
                // What it has lost it does not get back so soon.
                cut(joiner, leader);
                in(4 * SECOND, () -> {
                    mend(joiner, leader);
                    sim.network().lateChanges(leader, 0, 0);
                });
            });
        });
    }

    /**
     * A leader that nobody hears but its clients gets a tail of its own and loses it with the power, while its index has
     * all of it; what comes there instead is cut short by crashes.
     */
    void lostTail(PartitionId id) {
        PartitionState state = state(id);
        Machine machine = state.hasLeader() ? sim.machine(state.leader()) : null;
        if (machine == null || !machine.up()) {
            return;
        }
        int leader = state.leader();
        cutControllers(leader);
        state.replicas().stream().filter(other -> other != leader).forEach(other -> cut(leader, other));
        in(SECOND + chance.delay(0, 3 * SECOND), () -> {
            machine.index().flush();
            sim.operator().loseAndReturn(machine, false);
            mendControllers(leader);
            state.replicas().stream().filter(other -> other != leader).forEach(other -> mend(leader, other));
            crashAgain(machine, 3);
        });
    }

    private void crashAgain(Machine machine, int times) {
        in(SECOND + chance.delay(0, 2 * SECOND), () -> {
            if (machine.up()) {
                machine.crash(Machine.Crash.PROCESS);
                machine.start();
            }
            if (times > 1) {
                crashAgain(machine, times - 1);
            }
        });
    }

    private void mend(int one, int other) {
        sim.network().mend(one, other);
        sim.network().mend(other, one);
    }

    private void cutControllers(int broker) {
        for (int i = 0; i < Controllers.COUNT; i++) {
            cut(broker, Controllers.FIRST_ID + i);
        }
    }

    private void mendControllers(int broker) {
        for (int i = 0; i < Controllers.COUNT; i++) {
            mend(broker, Controllers.FIRST_ID + i);
        }
    }
}
