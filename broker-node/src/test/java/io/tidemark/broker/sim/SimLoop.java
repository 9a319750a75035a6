package io.tidemark.broker.sim;

import io.tidemark.broker.runtime.HostedLoop;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.model.MonoTime;
import java.util.ArrayList;
import java.util.List;

/** Drives one partition loop of a process on virtual time, as a network event loop does in production. */
final class SimLoop implements HostedLoop.Waker {
    private final Simulation sim;
    private final Process process;
    private final Chance chance;
    /** They leave at the end of a turn, with one flush: a process that ends before sends none. */
    private final List<Runnable> answers = new ArrayList<>();

    private PartitionLoop loop;
    private boolean running;
    private boolean turnAsked;
    private long armedFor = Long.MAX_VALUE;

    SimLoop(Simulation sim, Process process, Chance chance) {
        this.sim = sim;
        this.process = process;
        this.chance = chance;
    }

    void drive(PartitionLoop driven) {
        loop = driven;
        driven.waker(this);
        wake();
    }

    PartitionLoop loop() {
        return loop;
    }

    @Override
    public void wake() {
        if (!turnAsked) {
            turnAsked = true;
            later(chance.delay(20, 400), () -> turnAsked = false);
        }
    }

    /** All loops share one thread here: what is another loop's must not pass for this one's. */
    @Override
    public boolean inLoop() {
        return running;
    }

    void later(long micros, Runnable task) {
        at(sim.queue().now() + micros, task);
    }

    void at(long micros, Runnable task) {
        sim.queue().at(micros, () -> now(task));
    }

    /** The task, on this loop, and a turn. */
    void now(Runnable task) {
        process.run(() -> inside(task), this);
    }

    private void inside(Runnable task) {
        running = true;
        try {
            task.run();
        } finally {
            running = false;
        }
    }

    /** Sends an answer at the end of the turn. */
    void answer(Runnable sending) {
        answers.add(sending);
    }

    void turn() {
        if (loop == null) {
            return;
        }
        sim.checks().beforeTurn(loop);
        inside(() -> loop.runOnce(sim.queue().mono()));
        arm();
        sim.checks().afterTurn(process, loop);
        List<Runnable> leaving = List.copyOf(answers);
        answers.clear();
        leaving.forEach(Runnable::run);
    }

    private void arm() {
        MonoTime next = loop.nextDeadline();
        if (next != null && next.ms() * 1000 < armedFor) {
            long due = Math.max(next.ms() * 1000, sim.queue().now() + 100);
            armedFor = due;
            at(due, () -> {
                if (armedFor == due) {
                    armedFor = Long.MAX_VALUE;
                }
            });
        }
    }
}
