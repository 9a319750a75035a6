package io.tidemark.broker.replica;

import io.tidemark.model.EpochHistory;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.SeatReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * One random history of three replicas, a controller and a network that delays, repeats and loses, from one seed. Logs
 * survive restarts, unless a power loss takes their ends; every election is clean.
 */
final class RandomHistory {
    /** Deliberate faults of what surrounds the replicas: each must be noticed by the checker. */
    enum Fault {
        NONE,
        /** A follower acknowledges a record that it does not have (B22). */
        ACKNOWLEDGES_TOO_MUCH,
        /** The controller elects whoever is alive. */
        UNCLEAN_ELECTION,
        /** The controller takes a proposal of an older partition epoch. */
        STALE_PARTITION_EPOCH,
        /** An attempt that may still arrive is reported as refused (K2, R2.33). */
        REFUSAL_MADE_UP,
        /** The leader hears of a partition epoch that never was, which drops what is pending (K1). */
        PARTITION_EPOCH_MADE_UP,
        /** A log that lost its end keeps its seat (B1). */
        SEAT_NOT_JUDGED,
        /** The floor of one period below min is taken for that of the next (C4). */
        FLOOR_OUTLIVES_ITS_PERIOD
    }

    /** One sending of a proposal: its leader learns one outcome, but copies of it may arrive at any time. */
    private static final class Attempt {
        final Node sender;
        final Effect.SendAlter alter;
        boolean outcomeKnown;

        Attempt(Node sender, Effect.SendAlter alter) {
            this.sender = sender;
            this.alter = alter;
        }
    }

    private record Reply(Attempt attempt, ReplicaEvent.AlterAnswered event) {}

    /** A fetch under way; copies of it may reach the leader at any time. */
    private record Sent(World.Request request, int number) {}

    private record Delivery(Node follower, World.Answer answer, int number) {}

    private final Random random;
    private final Fault fault;
    private final World world;
    private final ModelController controller;
    private final HistoryChecker checker = new HistoryChecker();
    private final Map<Integer, Integer> learned = new HashMap<>();
    private final List<Sent> requests = new ArrayList<>();
    /** Number of the last fetch of each follower. Its connection brings it the answer to that one, once, or none. */
    private final Map<Integer, Integer> asked = new HashMap<>();

    private final List<Delivery> deliveries = new ArrayList<>();
    private final List<Attempt> attempts = new ArrayList<>();
    private final List<Reply> replies = new ArrayList<>();
    private final Set<Long> acksAll = new HashSet<>();
    private final List<String> trace = new ArrayList<>();
    private long nextEpoch = 100;
    private int contents;
    int acked;
    /** Whether it ended with nobody who is known to hold what was exposed. */
    boolean stuck;

    int floors;

    RandomHistory(long seed, Fault fault) {
        this.random = new Random(seed);
        this.fault = fault;
        int minIsr = 1 + random.nextInt(3);
        this.world = new World(minIsr, 1, 2, 3).with(1, "", 0).with(2, "", 0).with(3, "", 0);
        this.controller = new ModelController(world.state(1, 0, 0, List.of(1, 2, 3)), world.views, random, fault);
        for (int broker = 1; broker <= 3; broker++) {
            learned.put(broker, -1);
            learn(broker, 0);
        }
    }

    int exposedRecords() {
        return checker.exposedRecords();
    }

    /** That many random steps, with the invariants checked after each. */
    void run(int steps) {
        for (int i = 0; i < steps; i++) {
            try {
                step();
                collect();
                checker.check(world.nodes.values(), controller.state());
                if (controller.state().floor().kind() == Floor.Kind.KNOWN) {
                    floors++;
                }
                if (i % 8 == 0) {
                    checker.checkMatching(world.nodes.values());
                }
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("step " + i + ": " + e.getMessage() + "\n" + String.join("\n", trace), e);
            }
        }
    }

    private int broker() {
        return 1 + random.nextInt(3);
    }

    private <T> T pick(List<T> list, double keep) {
        int at = random.nextInt(list.size());
        return random.nextDouble() < keep ? list.get(at) : list.remove(at);
    }

    private void step() {
        int dice = random.nextInt(100);
        int broker = broker();
        Node node = world.at(broker);
        if (dice < 18) {
            produce(node);
        } else if (dice < 40) {
            ask(node);
        } else if (dice < 46 && !requests.isEmpty()) {
            serve(pick(requests, 0.3));
        } else if (dice < 50 && !deliveries.isEmpty()) {
            deliver(pick(deliveries, 0));
        } else if (dice < 60 && !attempts.isEmpty()) {
            decide(pick(attempts, 0.25));
        } else if (dice < 68 && !replies.isEmpty()) {
            reply(pick(replies, 0));
        } else if (dice < 71 && !attempts.isEmpty()) {
            unanswered(pick(attempts, 0.7));
        } else if (dice < 81) {
            learn(broker, learned.get(broker) + 1 + random.nextInt(3));
        } else if (dice < 83) {
            hearAgain(node);
        } else if (dice < 85) {
            log("fence %d", broker);
            controller.fence(broker);
        } else if (dice < 92) {
            log("unfence %d", broker);
            controller.unfence(broker);
        } else if (dice < 93) {
            log("move to %d", broker);
            controller.move(broker);
        } else if (dice < 94) {
            restart(node, random.nextInt(5) == 0);
        } else if (dice < 95) {
            node.writesAtOnce = !node.writesAtOnce;
            flush(node);
        } else {
            world.pass(random.nextInt(10) == 0 ? World.LAG_MS + 1 : random.nextInt(300));
            log("tick %d", broker);
            world.tick(broker);
        }
    }

    private void log(String format, Object... arguments) {
        trace.add(String.format(format, arguments));
    }

    private void produce(Node node) {
        if (!node.replica.leads()) {
            return;
        }
        int acks = random.nextInt(3) == 0 ? 1 : -1;
        long token = world.produce(node.id, acks, "c" + contents++);
        log("produce %d acks %d end %d", node.id, acks, node.replica.stagedEnd());
        if (acks == -1) {
            acksAll.add(token);
        }
    }

    private void ask(Node node) {
        World.Request request = world.ask(node.id);
        if (request == null) {
            return;
        }
        FetchPosition position = request.position();
        Node leader = world.at(position.leader());
        if (fault == Fault.ACKNOWLEDGES_TOO_MUCH && leader.end() > position.offset() && random.nextInt(10) == 0) {
            world.serve(new World.Request(
                    node.id,
                    request.brokerEpoch(),
                    new FetchPosition(position.leader(), position.leaderEpoch(), position.offset() + 1, -1, 0)));
            return;
        }
        Sent sent = new Sent(request, asked.merge(node.id, 1, Integer::sum));
        if (random.nextInt(4) == 0) {
            requests.add(sent);
        } else {
            serve(sent);
        }
    }

    private void serve(Sent sent) {
        World.Request request = sent.request();
        Node follower = world.at(request.follower());
        World.Answer answer = world.serve(request, 1 + random.nextInt(3));
        log("fetch of %d (%d) %s", request.follower(), request.brokerEpoch(), request.position());
        if (follower.brokerEpoch != request.brokerEpoch()) {
            return;
        }
        Delivery delivery = new Delivery(follower, answer, sent.number());
        if (random.nextInt(4) == 0) {
            deliveries.add(delivery);
        } else {
            deliver(delivery);
        }
    }

    private void deliver(Delivery delivery) {
        Node follower = delivery.follower();
        boolean awaited = asked.get(follower.id) == delivery.number();
        if (awaited && world.at(follower.id) == follower) {
            asked.merge(follower.id, 1, Integer::sum);
            follower.receive(world.now, delivery.answer());
            if (follower.has(Effect.AskLeaderOffsets.class)) {
                throw new AssertionError("no log starts above 0 here, nothing is out of range: " + follower.log);
            }
        }
    }

    private void decide(Attempt attempt) {
        if (random.nextInt(12) == 0) {
            reply(new Reply(attempt, answered(attempt, ErrorCode.VOID_ENTRY, 0, null)));
            return;
        }
        ModelController.Verdict verdict = controller.alter(attempt.sender.id, attempt.alter.request());
        log(
                "alter by %d %s: %s %s",
                attempt.sender.id, attempt.alter.request().isr(), verdict.error(), verdict.state());
        replies.add(new Reply(attempt, answered(attempt, verdict.error(), verdict.index(), verdict.state())));
    }

    private static ReplicaEvent.AlterAnswered answered(
            Attempt attempt, ErrorCode error, long index, PartitionState state) {
        return error == ErrorCode.NONE
                ? new ReplicaEvent.AlterAnswered(
                        attempt.alter.proposal(),
                        error,
                        index,
                        state.leaderEpoch(),
                        state.partitionEpoch(),
                        state.isr())
                : new ReplicaEvent.AlterAnswered(attempt.alter.proposal(), error, index, -1, -1, List.of());
    }

    private void reply(Reply reply) {
        Attempt attempt = reply.attempt();
        if (!attempt.outcomeKnown && world.at(attempt.sender.id) == attempt.sender) {
            attempt.outcomeKnown = true;
            log("answer to %d: %s", attempt.sender.id, reply.event());
            attempt.sender.step(world.now, reply.event());
        }
    }

    /** Its leader gives up waiting; the request may have been taken, or may be yet. */
    private void unanswered(Attempt attempt) {
        if (attempt.outcomeKnown || world.at(attempt.sender.id) != attempt.sender) {
            return;
        }
        attempt.outcomeKnown = true;
        log("no answer to %d for %d", attempt.sender.id, attempt.alter.proposal());
        attempt.sender.step(
                world.now,
                fault == Fault.REFUSAL_MADE_UP
                        ? answered(attempt, ErrorCode.INELIGIBLE_REPLICA, 0, null)
                        : new ReplicaEvent.AlterUnknown(attempt.alter.proposal()));
    }

    private void learn(int broker, int wanted) {
        int from = learned.get(broker);
        int to = Math.min(wanted, controller.index());
        if (to <= from) {
            return;
        }
        Node node = world.at(broker);
        flush(node);
        learned.put(broker, to);
        ModelController.Version version = controller.history.get(to);
        log("%d learns %d: %s", broker, to, version.state());
        boolean same = from >= 0 && controller.history.get(from).state() == version.state();
        node.step(
                world.now,
                same
                        ? new ReplicaEvent.EligibilityChanged(version.views(), to)
                        : new ReplicaEvent.MetadataChanged(version.state(), version.views(), to));
        node.step(world.now, new ReplicaEvent.FeedReached(to));
    }

    private void hearAgain(Node node) {
        int index = learned.get(node.id);
        if (index < 0) {
            return;
        }
        ModelController.Version version = controller.history.get(index);
        PartitionState state = version.state();
        if (fault == Fault.PARTITION_EPOCH_MADE_UP) {
            state = world.state(
                    state.minIsr(),
                    state.leader(),
                    state.leaderEpoch(),
                    state.partitionEpoch() + 1,
                    state.isr(),
                    state.elr().toArray(Integer[]::new));
        }
        flush(node);
        log("%d hears %s", node.id, state);
        node.step(world.now, new ReplicaEvent.MetadataChanged(state, version.views(), index));
    }

    private void restart(Node node, boolean powerLoss) {
        flush(node);
        long epoch = nextEpoch++;
        ModelLog log = node.log.copy();
        if (powerLoss) {
            log.truncate(random.nextLong(log.end() + 1));
        }
        log("restart %d as %d%s", node.id, epoch, powerLoss ? " with a log up to " + log.end() : "");
        long mark = random.nextLong(Math.min(node.mark(), log.end()) + 1);
        world.restart(node.id, log, mark, epoch);
        SeatReport report = new SeatReport(node.id, World.PARTITION, log.start(), log.end(), log.epochs());
        controller.register(node.id, epoch, !powerLoss, report);
        learned.put(node.id, -1);
        learn(node.id, controller.index());
    }

    private void flush(Node node) {
        if (node.replica.stagedEnd() > node.end()) {
            node.step(world.now, new ReplicaEvent.Written(node.replica.stagedEnd()));
            collect();
            checker.check(world.nodes.values(), controller.state());
        }
    }

    /** What left the brokers in this step. */
    private void collect() {
        for (Node node : world.nodes.values()) {
            while (!node.alters.isEmpty()) {
                Effect.SendAlter alter = node.alters.poll();
                log("%d proposes %s", node.id, alter.request());
                attempts.add(new Attempt(node, alter));
            }
            node.answers.forEach((token, answer) -> {
                if (acksAll.remove(token) && answer.error() == ReplicaError.NONE) {
                    acked++;
                    if (node.replica.leads()
                            && (answer.baseOffset() >= node.mark()
                                    || node.replica.isr().maximalSize()
                                            < node.replica.state().minIsr())) {
                        throw new AssertionError("I2 broken: " + answer + " at mark " + node.mark());
                    }
                }
            });
        }
    }

    /** The network heals: everybody is let in, and all must come to the same. */
    void heal() {
        requests.clear();
        deliveries.clear();
        replies.forEach(this::reply);
        replies.clear();
        attempts.removeIf(attempt -> attempt.outcomeKnown);
        for (int broker = 1; broker <= 3; broker++) {
            world.at(broker).writesAtOnce = true;
            flush(world.at(broker));
            if (!controller.active(broker)) {
                controller.unfence(broker);
            }
        }
        for (int round = 0; round < 60 && !converged(); round++) {
            for (int broker = 1; broker <= 3; broker++) {
                learn(broker, controller.index());
                world.pass(200);
                world.tick(broker);
                World.Request request = world.ask(broker);
                if (request != null) {
                    world.at(broker).receive(world.now, world.serve(request));
                }
                collect();
                while (!attempts.isEmpty()) {
                    Attempt attempt = attempts.remove(0);
                    if (world.at(attempt.sender.id) == attempt.sender) {
                        decide(attempt);
                        replies.forEach(this::reply);
                        replies.clear();
                    }
                }
                checker.check(world.nodes.values(), controller.state());
            }
        }
        checker.checkMatching(world.nodes.values());
        if (!controller.state().hasLeader()) {
            stuck = true;
        } else if (!converged()) {
            StringBuilder text = new StringBuilder("no convergence: " + controller.state());
            world.nodes
                    .values()
                    .forEach(node -> text.append('\n')
                            .append(node.id)
                            .append(' ')
                            .append(node.log)
                            .append(" mark ")
                            .append(node.mark())
                            .append(' ')
                            .append(node.replica.state())
                            .append(' ')
                            .append(node.replica.isrState()));
            throw new AssertionError(text + "\n" + String.join("\n", trace));
        }
    }

    private boolean converged() {
        EpochHistory epochs = null;
        long end = world.at(1).end();
        for (Node node : world.nodes.values()) {
            EpochHistory explaining = node.log.epochs().truncateFromEnd(end);
            if (node.end() != end || node.mark() != end || (epochs != null && !epochs.equals(explaining))) {
                return false;
            }
            epochs = explaining;
        }
        return controller.state().isr().size() == 3;
    }
}
