package io.tidemark.quorum.core;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.MetadataEntry.Cause;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.SeatReport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;

/**
 * What is done when nobody is known to hold all that was acknowledged (B1), and how the metadata log tells it. Which of the
 * ways a topic goes is the table at {@link RecoveryStrategy}.
 */
final class UncleanRecovery {
    private static final int TOLD = 20;

    /** By the last record, then by how many there are. */
    private static final Comparator<SeatReport> LONGER =
            Comparator.comparingInt(SeatReport::lastEpoch).thenComparingLong(SeatReport::logEnd);

    private UncleanRecovery() {}

    /**
     * The best of all that were in the last ISR or ELR, if all of them have reported: no other can come back with more. If
     * that one is not there now, it is waited for. {@link PartitionState#NO_LEADER} if there is none.
     */
    static int balanced(Seats.Beside seats, IntPredicate acceptable) {
        if (!seats.proven().isEmpty()) {
            return PartitionState.NO_LEADER; // who is proven has more than any report can promise, and has not reported
        }
        int best = best(seats.reports(), broker -> true);
        return best != PartitionState.NO_LEADER && acceptable.test(best) ? best : PartitionState.NO_LEADER;
    }

    /**
     * The best of who is there: of those that have reported a log, else the first replica that is there, one that has
     * reported an empty log only if there is no other.
     */
    static int aggressive(List<Integer> replicas, Seats.Beside seats, IntPredicate acceptable) {
        List<SeatReport> logs =
                seats.reports().stream().filter(report -> report.logEnd() > 0).toList();
        int best = best(logs, acceptable);
        if (best != PartitionState.NO_LEADER) {
            return best;
        }
        Set<Integer> empty = seats.reports().stream().map(SeatReport::brokerId).collect(Collectors.toSet());
        List<Integer> there = replicas.stream().filter(acceptable::test).toList();
        return there.stream()
                .filter(replica -> !empty.contains(replica))
                .findFirst()
                .or(() -> there.stream().findFirst())
                .orElse(PartitionState.NO_LEADER);
    }

    /** The first of the best, in replica order. */
    private static int best(List<SeatReport> reports, IntPredicate acceptable) {
        SeatReport best = null;
        for (SeatReport report : reports) {
            if (acceptable.test(report.brokerId()) && (best == null || LONGER.compare(report, best) > 0)) {
                best = report;
            }
        }
        return best == null ? PartitionState.NO_LEADER : best.brokerId();
    }

    /** The decision with words for every unclean election in it: who was chosen, from what, and what may be lost. */
    static Decision told(ClusterImage image, QuorumCommand command, Decision decision) {
        List<String> words = new ArrayList<>();
        int more = 0;
        for (MetadataRecord record : decision.records()) {
            if (record instanceof PartitionChanged change && image.partition(change.id()) != null) {
                PartitionState before = image.partition(change.id());
                if (unclean(before, change) && words.size() < TOLD) {
                    words.add(words(image, before, reports(before, command), change.leader()));
                } else if (unclean(before, change)) {
                    more++;
                }
            }
        }
        if (words.isEmpty()) {
            return decision;
        }
        Cause cause = decision.cause();
        String told = String.join("; ", words) + (more == 0 ? "" : "; and " + more + " more");
        String reason = cause.reason().isEmpty() ? told : cause.reason() + "; " + told;
        return decision.because(new Cause(
                cause.kind(), cause.brokerId(), cause.brokerEpoch(), cause.client(), reason, cause.controllerId()));
    }

    /** A leader who was in no seat, or in one that was not proven. */
    private static boolean unclean(PartitionState before, PartitionChanged change) {
        if (change.leader() == null || change.leader() == PartitionState.NO_LEADER) {
            return false;
        }
        int leader = change.leader();
        return !before.isr().contains(leader)
                && (!before.elr().contains(leader) || before.waitsForFloor(leader))
                && (change.recovering() == null ? before.recovering() : change.recovering());
    }

    /** What was known of logs when that command was decided. */
    private static List<SeatReport> reports(PartitionState before, QuorumCommand command) {
        List<SeatReport> reports = new ArrayList<>(before.unproven());
        if (command instanceof QuorumCommand.RegisterBroker register) {
            reports.removeIf(report -> report.brokerId() == register.brokerId());
            register.reports().stream()
                    .filter(report -> report.partition().equals(before.id()))
                    .forEach(reports::add);
        }
        return reports;
    }

    private static String words(ClusterImage image, PartitionState before, List<SeatReport> reports, int leader) {
        String name =
                image.topic(before.id().topicId()).name() + "-" + before.id().partition();
        List<Integer> silent = new ArrayList<>(before.isr());
        silent.addAll(before.elr());
        SeatReport chosen = null;
        for (SeatReport report : reports) {
            silent.remove(Integer.valueOf(report.brokerId()));
            chosen = report.brokerId() == leader ? report : chosen;
        }
        String heard = reports.isEmpty()
                ? "no reports"
                : reports.stream()
                        .sorted(Comparator.comparingInt(SeatReport::brokerId))
                        .map(UncleanRecovery::words)
                        .collect(Collectors.joining(", "));
        String bound = before.floor().kind() == Floor.Kind.KNOWN
                ? "up to offset " + before.floor().offset()
                : "how far is not known";
        return name + ": unclean election of broker " + leader + " from " + heard
                + (silent.isEmpty() ? "" : ", not heard of " + silent)
                + "; what was acknowledged "
                + (chosen == null ? "and it does not have" : "above its end " + chosen.logEnd())
                + " may be lost (" + bound + ")";
    }

    private static String words(SeatReport report) {
        return "broker " + report.brokerId() + " " + report.logStart() + ".." + report.logEnd() + " epoch "
                + report.lastEpoch();
    }
}
