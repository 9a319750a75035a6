package io.tidemark.broker.sim;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Who reaches whom, and how fast. Nodes are numbers: brokers from 1, controllers from 101, clients from 201. A cut is one
 * way; what was on its way when it came still arrives.
 */
final class Network {
    /** What becomes of a message. */
    enum Fate {
        DELIVERED,
        LOST,
        /** It arrives and is acted on, but its answer does not come back. */
        ANSWER_LOST,
        /** The sender gives up long before it arrives. */
        LATE,
        /** It arrives, and once more later; on a connection that numbers what it carries it arrives once. */
        TWICE
    }

    private record LateChanges(int count, long micros) {}

    private record Way(int from, int to) {}

    private final Chance chance;
    private final Set<Way> cuts = new HashSet<>();
    private final Map<Way, Integer> troubled = new HashMap<>();
    private final Map<Integer, LateChanges> lateChanges = new HashMap<>();
    private final Map<Way, Long> slow = new HashMap<>();

    Network(Chance chance) {
        this.chance = chance;
    }

    void cut(int from, int to) {
        cuts.add(new Way(from, to));
    }

    void mend(int from, int to) {
        cuts.remove(new Way(from, to));
    }

    /** One in so many messages has another fate than to be delivered. */
    void trouble(int from, int to, int oneIn) {
        troubled.put(new Way(from, to), oneIn);
    }

    void slow(int from, int to, long micros) {
        slow.put(new Way(from, to), micros);
    }

    /** The next changes of ISRs that this broker asks for arrive so late, and the broker has given up on them by then. */
    void lateChanges(int from, int count, long micros) {
        if (count == 0) {
            lateChanges.remove(from);
        } else {
            lateChanges.put(from, new LateChanges(count, micros));
        }
    }

    /** How late, microseconds; 0 for not. */
    long takeLateChange(int from) {
        LateChanges late = lateChanges.remove(from);
        if (late == null) {
            return 0;
        }
        if (late.count() > 1) {
            lateChanges.put(from, new LateChanges(late.count() - 1, late.micros()));
        }
        return late.micros();
    }

    void heal() {
        cuts.clear();
        lateChanges.clear();
        troubled.clear();
        slow.clear();
    }

    void heal(int from, int to) {
        Way way = new Way(from, to);
        cuts.remove(way);
        troubled.remove(way);
        slow.remove(way);
    }

    boolean reaches(int from, int to) {
        return !cuts.contains(new Way(from, to));
    }

    /** Drawn for a request when it leaves. */
    Fate fate(int from, int to) {
        if (!reaches(from, to)) {
            return Fate.LOST;
        }
        Integer oneIn = troubled.get(new Way(from, to));
        if (oneIn == null || !chance.oneIn(oneIn)) {
            return Fate.DELIVERED;
        }
        return Fate.values()[chance.between(1, Fate.values().length - 1)];
    }

    /** Microseconds on the way. */
    long delay(int from, int to) {
        long extra = slow.getOrDefault(new Way(from, to), 0L);
        return chance.delay(150, 3_000) + (extra == 0 ? 0 : chance.delay(extra / 4, extra));
    }

    /** How late something arrives whose sender has given up, microseconds. */
    long lateness() {
        return chance.delay(20_000, 3_000_000);
    }
}
