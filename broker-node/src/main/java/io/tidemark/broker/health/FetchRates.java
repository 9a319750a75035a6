package io.tidemark.broker.health;

import io.tidemark.broker.runtime.FetchedFrom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** How often per second each leader is asked, over the time since a look some seconds ago (R9.11). */
final class FetchRates {
    /** Shorter spans say little. */
    private static final long LEAST_SPAN_NS = TimeUnit.SECONDS.toNanos(5);

    private record Look(long atNs, long requests) {}

    private final Map<Integer, Look> looks = new HashMap<>();
    private final Map<Integer, Double> rates = new HashMap<>();

    /** The sums over the loops, by leader. */
    static List<FetchedFrom> byLeader(List<FetchedFrom> parts) {
        Map<Integer, FetchedFrom> sums = new TreeMap<>();
        for (FetchedFrom part : parts) {
            sums.merge(
                    part.leader(),
                    part,
                    (left, right) -> new FetchedFrom(
                            left.leader(),
                            left.host().isEmpty() ? right.host() : left.host(),
                            Math.max(left.port(), right.port()),
                            left.requests() + right.requests(),
                            left.bytes() + right.bytes()));
        }
        return new ArrayList<>(sums.values());
    }

    /** The rate of the leader that is asked least; 0 if none is asked. */
    synchronized double least(List<FetchedFrom> parts, long nowNs) {
        List<FetchedFrom> leaders = byLeader(parts);
        Map<Integer, FetchedFrom> present = new HashMap<>();
        leaders.forEach(leader -> present.put(leader.leader(), leader));
        looks.keySet().retainAll(present.keySet());
        rates.keySet().retainAll(present.keySet());
        double least = Double.MAX_VALUE;
        for (FetchedFrom leader : leaders) {
            Look before = looks.get(leader.leader());
            if (before == null || leader.requests() < before.requests()) {
                looks.put(leader.leader(), new Look(nowNs, leader.requests()));
            } else if (nowNs - before.atNs() >= LEAST_SPAN_NS) {
                rates.put(leader.leader(), (leader.requests() - before.requests()) * 1e9 / (nowNs - before.atNs()));
                looks.put(leader.leader(), new Look(nowNs, leader.requests()));
            }
            least = Math.min(least, rates.getOrDefault(leader.leader(), 0.0));
        }
        return leaders.isEmpty() ? 0 : least;
    }
}
