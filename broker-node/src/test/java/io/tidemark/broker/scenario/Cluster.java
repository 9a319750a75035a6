package io.tidemark.broker.scenario;

import io.tidemark.broker.log.LogName;
import io.tidemark.model.MonoTime;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a scenario acts on: machines, the quorum, what is on its way, and the clock. */
final class Cluster {
    private static final TopicId TOPIC = new TopicId(7, 7);
    static final String TOPIC_NAME = "t";

    private final Out out = new Out();
    private final Quorum quorum = new Quorum(out);
    private final Map<Integer, Machine> machines = new TreeMap<>();
    private final Proposals proposals = new Proposals(this);
    private final Map<Long, String> waiting = new HashMap<>();
    private final Map<Character, Integer> named = new HashMap<>();
    private long now = 1_000_000;
    private long lagMs = 30_000;
    private long leaseMs = -1;
    private long lastToken;
    private int lastSession;

    static PartitionId partition(int number) {
        return new PartitionId(TOPIC, number);
    }

    static LogName nameOf(int partition) {
        return new LogName(TOPIC_NAME, partition);
    }

    Out out() {
        return out;
    }

    Quorum quorum() {
        return quorum;
    }

    Proposals proposals() {
        return proposals;
    }

    Map<Integer, Machine> machines() {
        return machines;
    }

    Machine machine(int id) {
        Machine machine = machines.get(id);
        if (machine == null) {
            throw new ScenarioException("there is no broker " + id + ", only " + machines.keySet());
        }
        return machine;
    }

    BrokerProcess process(int id) {
        return machine(id).process();
    }

    List<BrokerProcess> running() {
        return machines.values().stream()
                .filter(Machine::up)
                .map(Machine::process)
                .toList();
    }

    void limits(long lag, long lease) {
        lagMs = lag;
        leaseMs = lease;
    }

    long lagMs() {
        return lagMs;
    }

    /** -1: leases never end. */
    long leaseMs() {
        return leaseMs;
    }

    int newSession() {
        return ++lastSession;
    }

    // ---- names ----

    long newToken() {
        return ++lastToken;
    }

    /** The next of that letter: p1, p2... */
    String newName(char letter) {
        return letter + "" + named.merge(letter, 1, Integer::sum);
    }

    /** A request that may have to wait. */
    void awaits(long token, String name) {
        waiting.put(token, name);
    }

    boolean waits(long token) {
        return waiting.containsKey(token);
    }

    /** The name of the request that has been answered. */
    String answered(long token) {
        String name = waiting.remove(token);
        if (name == null) {
            throw new AssertionError("answered twice: " + token);
        }
        return name;
    }

    // ---- time ----

    long now() {
        return now;
    }

    /** Every broker keeps its deadlines on the way. */
    void pass(long millis) {
        long until = now + millis;
        while (true) {
            long next = nextDeadline();
            if (next > until) {
                break;
            }
            now = Math.max(now, next);
            tick();
            if (nextDeadline() <= now) {
                throw new AssertionError("a deadline that a tick does not clear");
            }
        }
        running().forEach(process -> process.heartbeat(now));
        now = until;
        running().forEach(process -> process.heartbeat(now));
        running().forEach(process -> process.checkLease(now));
    }

    private long nextDeadline() {
        long next = Long.MAX_VALUE;
        for (BrokerProcess process : running()) {
            for (Copy copy : process.copies().values()) {
                next = Math.min(next, copy.replica().nextDeadlineMs(new MonoTime(now)));
            }
        }
        return next;
    }

    private void tick() {
        for (BrokerProcess process : running()) {
            for (Copy copy : process.copies().values()) {
                if (copy.replica().nextDeadlineMs(new MonoTime(now)) <= now) {
                    copy.step(new io.tidemark.broker.replica.ReplicaEvent.Tick());
                }
            }
        }
    }
}
