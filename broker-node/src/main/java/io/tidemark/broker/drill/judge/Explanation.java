package io.tidemark.broker.drill.judge;

import io.tidemark.broker.drill.plan.Action;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the fault that accounts for a change of leader or ISR: a broker leaves an ISR because something was done to it
 * not long ago, comes back because something had been done to it, either also because of a cable of the leader that it
 * fetches from, and a partition changes its leader because something
 * was done to the old one or the new one not long ago, or the old one left the ISR with it. Leadership may go back to the
 * preferred replica however much later. What the drill itself asked for explains itself.
 */
public final class Explanation {
    /** After a fault is over its consequences may still come: a session runs out, a follower is found to lag. */
    private static final long GRACE_MS = 15_000;

    private static final Set<Action> CABLES = Set.of(Action.UNPLUG, Action.CUT, Action.IMPAIR);

    private Explanation() {}

    /** Whether leader or ISR differ at all; other changes of a partition need no reason here. */
    public static boolean isNeeded(Change change) {
        return change.before() != null && change.after().differsFrom(change.before());
    }

    /** The words of the fault that accounts for the change; empty if there is none. */
    public static Optional<String> of(Change change, List<Fault> faults) {
        Optional<Fault> asked = faults.stream()
                .filter(fault -> fault.startMs() <= change.timeMs() && asksFor(fault, change))
                .reduce((first, second) -> second);
        if (asked.isPresent()) {
            return asked.map(Fault::words);
        }
        Set<String> words = new HashSet<>();
        for (int broker : left(change)) {
            Optional<Fault> fault = recent(broker, change.timeMs(), faults)
                    .or(() -> recent(change.before().leader(), change.timeMs(), ofCables(faults)));
            if (fault.isEmpty()) {
                return Optional.empty();
            }
            words.add(fault.get().words());
        }
        for (int broker : joined(change)) {
            Optional<Fault> fault = ever(broker, change.timeMs(), faults)
                    .or(() -> ever(change.after().leader(), change.timeMs(), ofCables(faults)));
            if (fault.isEmpty()) {
                return Optional.empty();
            }
            words.add(fault.get().words());
        }
        // Whatever accounts for an old leader that left accounts for the new one.
        if (change.before().leader() != change.after().leader()
                && !left(change).contains(change.before().leader())) {
            Optional<Fault> fault = leads(change, faults);
            if (fault.isEmpty()) {
                return Optional.empty();
            }
            words.add(fault.get().words());
        }
        return Optional.of(String.join("; ", words));
    }

    private static Optional<Fault> leads(Change change, List<Fault> faults) {
        int before = change.before().leader();
        int after = change.after().leader();
        Optional<Fault> fault =
                recent(before, change.timeMs(), faults).or(() -> recent(after, change.timeMs(), faults));
        boolean preferred = change.after().replicas().indexOf(after) == 0;
        if (fault.isPresent() || !preferred) {
            return fault;
        }
        return ever(after, change.timeMs(), faults).or(() -> ever(before, change.timeMs(), faults));
    }

    private static List<Fault> ofCables(List<Fault> faults) {
        return faults.stream().filter(fault -> CABLES.contains(fault.action())).toList();
    }

    private static boolean asksFor(Fault fault, Change change) {
        boolean same = fault.partition().equals(change.partition().toString())
                || fault.partition().equals(change.partition().topic());
        if (!same) {
            return false;
        }
        return switch (fault.action()) {
            // Its steps are ISR changes of their own: replicas come, catch up, and go.
            case REASSIGN ->
                change.kind().equals("AlterReassignments")
                        || !change.before().replicas().equals(change.after().replicas())
                        || (fault.nodes().containsAll(joined(change))
                                && left(change).isEmpty());
            // Where no log tells the cause, only a new leader can be what an election has made.
            case ELECT ->
                change.kind().equals("ElectLeaders")
                        || (change.kind().isEmpty()
                                && change.before().leader() != change.after().leader());
            case CONFIGURE -> change.kind().equals("AlterConfigs");
            default -> false;
        };
    }

    private static Set<Integer> left(Change change) {
        Set<Integer> left = new HashSet<>(change.before().isr());
        left.removeAll(change.after().isr());
        return left;
    }

    private static Set<Integer> joined(Change change) {
        Set<Integer> joined = new HashSet<>(change.after().isr());
        joined.removeAll(change.before().isr());
        return joined;
    }

    /** The last one before that still stands, or ended not long ago. */
    private static Optional<Fault> recent(int broker, long timeMs, List<Fault> faults) {
        return ever(
                broker,
                timeMs,
                faults.stream()
                        .filter(fault -> timeMs <= fault.endMs() + GRACE_MS)
                        .toList());
    }

    /** The last one before. */
    private static Optional<Fault> ever(int broker, long timeMs, List<Fault> faults) {
        return faults.stream()
                .filter(fault -> fault.startMs() <= timeMs
                        && fault.nodes().contains(broker)
                        && fault.action() != Action.REASSIGN
                        && fault.action().accounts())
                .reduce((first, second) -> second);
    }
}
