package io.tidemark.quorum.core;

import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.SeatReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The seats in the ELR that go with an ISR: who may be elected when nobody is left in it (R7.41, B1).
 *
 * <p>A seat is <em>proven</em> if its holder is known to have every record that can have been exposed. Why only those are:
 *
 * <ol>
 *   <li>While a leader acts on |ISR| >= min, its high watermark waits for every ISR member, and a member that leaves such
 *       an ISR enters the ELR only by the change that takes |ISR| below min. While it acts on |ISR| below min the mark stands.
 *       So whoever enters the ELR without a restart has the exposed prefix, and keeps it: it truncates only towards a leader,
 *       who has it too.
 *   <li>The floor is an upper bound of the exposed prefix, from the record that makes it known until |ISR| >= min. The
 *       leader says max(high watermark, epoch start): the mark bounds what it exposed itself and is held there from when it
 *       says so until the partition's epoch has moved; nothing of an earlier leader lies above the start of its epoch.
 *       Equal LE and PE make sure that it speaks of this period below min.
 *   <li>Two logs with the same epoch at an offset agree up to it. So a log whose record before the floor has the floor's epoch
 *       has the exposed prefix ({@link SeatReport#holds}), whatever it lost in between.
 * </ol>
 *
 * A broker that comes back leaves the ISR. If its logs are intact its seats stay as they were, also those that wait: an
 * orderly stop proves nothing that was not known before it (trap C7). Otherwise, judged by the floor <em>before</em> the
 * change:
 *
 * <pre>
 *   floor known, report holds        proven
 *   floor known, report does not     the seat is lost; the report stays, and the broker in the last-known ELR
 *   floor not known                  waits with its report, and is judged in the record that makes the floor known
 * </pre>
 */
final class Seats {
    private final PartitionState before;
    /** By which doubted logs are judged. */
    private Floor floor;

    private SeatReport returned;
    private boolean intact;
    private Set<Integer> forgotten = Set.of();

    /**
     * @param elr in replica order (B2)
     * @param reports of those in the ELR that wait for the floor, and of those that have lost their seat
     */
    record Beside(List<Integer> elr, List<SeatReport> reports) {
        static final Beside NONE = new Beside(List.of(), List.of());

        /** Members of the ELR that may be elected. */
        List<Integer> proven() {
            return elr.stream()
                    .filter(seat -> reports.stream().noneMatch(report -> report.brokerId() == seat))
                    .toList();
        }

        /** Whose seat was lost for what their logs lack. */
        List<Integer> lost() {
            return reports.stream()
                    .map(SeatReport::brokerId)
                    .filter(broker -> !elr.contains(broker))
                    .toList();
        }
    }

    Seats(PartitionState before) {
        this.before = before;
        this.floor = before.floor();
    }

    /** From this change on the floor is that one. */
    void floor(Floor value) {
        floor = value;
    }

    /** A new incarnation of that broker has this log. */
    void returned(SeatReport report, boolean logIntact) {
        returned = report;
        intact = logIntact;
    }

    /** These brokers will not come back: whatever they hold is of no use. */
    void forget(Set<Integer> brokers) {
        forgotten = brokers;
    }

    Beside beside(List<Integer> isr, List<Integer> replicas, int minIsr) {
        if (isr.size() >= minIsr) {
            return Beside.NONE;
        }
        List<Integer> elr = new ArrayList<>();
        List<SeatReport> reports = new ArrayList<>();
        for (int replica : replicas) {
            if (isr.contains(replica) || forgotten.contains(replica)) {
                continue;
            }
            boolean seated = before.isr().contains(replica) || before.elr().contains(replica);
            SeatReport doubted = doubted(replica);
            if (doubted == null) {
                if (seated) {
                    elr.add(replica);
                }
            } else if (seated && doubted.holds(floor)) {
                elr.add(replica);
            } else {
                if (seated && floor.kind() != Floor.Kind.KNOWN) {
                    elr.add(replica);
                }
                reports.add(doubted);
            }
        }
        return new Beside(List.copyOf(elr), List.copyOf(reports));
    }

    /** What speaks for that replica, if it needs to be spoken for; null if its seat is proven, or if it has none. */
    private SeatReport doubted(int replica) {
        SeatReport known = before.report(replica);
        if (returned == null || returned.brokerId() != replica) {
            return known;
        }
        boolean seated = before.isr().contains(replica) || before.elr().contains(replica);
        return known != null || (seated && !intact) ? returned : null;
    }
}
