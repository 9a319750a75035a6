package io.tidemark.quorum.core;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.SeatReport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.apache.kafka.controller.KafkaOracle.View;

/**
 * Where this controller is meant to decide otherwise than Kafka's. Each rule takes what Kafka came to and says what is
 * wanted instead, and only where its own condition holds; what remains different after all of them is a bug.
 */
final class IntendedDifferences {
    static final String TAKEOVER = "B5 a shared directory takes over at once";

    /** Kafka forgets it when it unfences the broker, and waits for its next heartbeat. */
    static final String REPORTED_FENCED =
            "R7.12 what a broker has applied counts, also what it said of it before it was unfenced";

    private static final String LAST_LED = "B1 nobody is elected for having led last";
    private static final String NOT_REGISTERED = "R7.11 a broker that is not registered is told so";
    private static final String NO_ENTRY = "R7.80 what can never be is refused before anybody looks at the cluster";
    private static final String OWN_MIN = "B3 S19 the min ISR of a partition is its own";
    private static final String EVIDENCE = "B1 seats and elections go by what is known of logs";
    private static final String CANCEL =
            "R7.62 a partition that waits for its ELR goes on waiting when its reassignment is cancelled";

    private IntendedDifferences() {}

    /**
     * One partition after one step.
     *
     * @param kafkaMin the effective min ISR by which Kafka decided
     * @param ours our state after it; {@code before} is the state of both before it
     * @param otherAnswers whether the step was answered otherwise
     */
    record Case(
            Step step,
            String topic,
            View before,
            PartitionState ours,
            int kafkaMin,
            ClusterImage imageBefore,
            ClusterImage imageAfter,
            boolean otherAnswers) {
        int ourMin() {
            return ours.minIsr();
        }

        boolean active(int broker) {
            return PartitionMoves.active(imageAfter, broker);
        }

        /** Ours before the step, with what Kafka does not know. */
        PartitionState was() {
            return imageBefore.partition(ours.id());
        }

        /** The process that the step began, or null. */
        Step.Register returned() {
            return step instanceof Step.Register register
                            && imageBefore.broker(register.broker()) != null
                            && imageBefore.broker(register.broker()).epoch()
                                    != imageAfter.broker(register.broker()).epoch()
                    ? register
                    : null;
        }

        boolean uncleanAllowed() {
            return "true".equals(imageAfter.topicConfig(topic, RecoveryStrategy.UNCLEAN_KEY));
        }
    }

    /** Why both may answer that step with different errors, or null. */
    static String ofErrors(Step step, int ours, int kafka, ClusterImage before, Map<String, Integer> kafkaMin) {
        if (step instanceof Step.Heartbeat beat
                && before.broker(beat.broker()) == null
                && ours == ErrorCode.BROKER_ID_NOT_REGISTERED.code()
                && kafka == ErrorCode.STALE_BROKER_EPOCH.code()) {
            return NOT_REGISTERED;
        }
        if (step instanceof Step.Elect elect
                && !elect.unclean()
                && ours == ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE.code()
                && kafka == ErrorCode.NONE.code()) {
            PartitionState state = before.topic(elect.topic()).partition(elect.partition());
            if (kafkaMin.get(elect.topic()) != state.minIsr()) {
                return OWN_MIN; // the change of the ELR passes for an election
            }
            if (state.isr().isEmpty() && state.elr().stream().anyMatch(state::waitsForFloor)) {
                return EVIDENCE;
            }
            return state.isr().isEmpty()
                            && state.elr().isEmpty()
                            && state.lastKnownElr().size() == 1
                    ? LAST_LED
                    : null;
        }
        if (step instanceof Step.Create create
                && before.topic(create.topic()) != null
                && kafka == ErrorCode.TOPIC_ALREADY_EXISTS.code()
                && List.of(
                                ErrorCode.INVALID_PARTITIONS.code(),
                                ErrorCode.INVALID_REPLICATION_FACTOR.code(),
                                ErrorCode.INVALID_REPLICA_ASSIGNMENT.code())
                        .contains(ours)) {
            return NO_ENTRY;
        }
        if (step instanceof Step.Reassign cancel
                && cancel.target() == null
                && ours == ErrorCode.NONE.code()
                && kafka == ErrorCode.INVALID_REPLICA_ASSIGNMENT.code()) {
            PartitionState state = before.topic(cancel.topic()).partition(cancel.partition());
            return state.isr().isEmpty()
                            && !without(state.elr(), state.adding()).isEmpty()
                    ? CANCEL
                    : null;
        }
        return null;
    }

    /** A difference, and what is wanted where Kafka came to something else. */
    private record Rule(String name, BiFunction<Case, View, View> wanted) {}

    /** Where one of these holds, what is wanted was worked out from the start. */
    private static final List<Rule> WHOLE = List.of(
            new Rule("B4 brokers that go together are taken away together", IntendedDifferences::together),
            new Rule("R7.61 the last target counts", IntendedDifferences::target),
            new Rule(CANCEL, IntendedDifferences::waiting),
            new Rule(
                    "R7.62 a leader that was in no seat is one by an unclean election",
                    IntendedDifferences::uncleanCancel),
            new Rule("R7.5 who is unregistered leaves the ELR", IntendedDifferences::unregistered),
            new Rule("B3 another min ISR is a change of every partition", IntendedDifferences::minIsrChange));

    /** These put one thing right each. */
    private static final List<Rule> PARTS = List.of(
            new Rule("R7.53 the same members in another order are the same ISR", IntendedDifferences::order),
            new Rule(LAST_LED, IntendedDifferences::lastKnownLeader),
            new Rule("B2 who leaves the replicas is forgotten", IntendedDifferences::strangers),
            new Rule(OWN_MIN, IntendedDifferences::ownMinIsr),
            new Rule("B21 the ELR goes with the ISR after the election", IntendedDifferences::afterElection),
            new Rule(EVIDENCE, IntendedDifferences::evidence),
            new Rule("B1 what a leader says of the floor is a change", IntendedDifferences::floorSaid));

    /** Every difference that there is. */
    static List<String> names() {
        List<String> names = new ArrayList<>(List.of(TAKEOVER, REPORTED_FENCED, NOT_REGISTERED, NO_ENTRY));
        WHOLE.forEach(rule -> names.add(rule.name()));
        PARTS.forEach(rule -> names.add(rule.name()));
        return names;
    }

    /** What is wanted where Kafka came to that; the names of the rules that had a say are added. */
    static View meant(Case difference, View kafka, List<String> rules) {
        for (Rule rule : WHOLE) {
            View wanted = rule.wanted().apply(difference, kafka);
            if (!wanted.equals(kafka)) {
                rules.add(rule.name());
                return wanted;
            }
        }
        View view = kafka;
        for (Rule rule : PARTS) {
            View wanted = rule.wanted().apply(difference, view);
            if (!wanted.equals(view)) {
                rules.add(rule.name());
            }
            view = wanted;
        }
        return view;
    }

    // ---- the rules ----

    /** Kafka fences one broker after another, and so elects some that are gone, and gives some no seat. */
    private static View together(Case c, View kafka) {
        if (!(c.step() instanceof Step.Fence fence)
                || fence.brokers().stream()
                                .filter(c.before().replicas()::contains)
                                .count()
                        < 2) {
            return kafka;
        }
        Collection<Integer> gone = new TreeSet<>(fence.brokers());
        gone.removeIf(id ->
                c.imageBefore().broker(id) == null || c.imageBefore().broker(id).fenced());
        View before = c.before();
        List<Integer> isr = without(before.isr(), gone);
        if (isr.size() == before.isr().size()) {
            return kafka;
        }
        return decided(
                c,
                before.replicas(),
                before.adding(),
                before.removing(),
                isr,
                List.of(),
                id -> !gone.contains(id) && PartitionMoves.active(c.imageBefore(), id));
    }

    /** Kafka forgets, where the new target adds nothing or takes nothing away, that something was to be or not to be. */
    private static View target(Case c, View kafka) {
        View before = c.before();
        boolean underWay = !before.adding().isEmpty() || !before.removing().isEmpty();
        if (!(c.step() instanceof Step.Reassign reassign)
                || reassign.target() == null
                || !underWay
                || c.otherAnswers()) {
            return kafka;
        }
        List<Integer> target = reassign.target();
        TreeSet<Integer> adding = new TreeSet<>(target);
        adding.removeIf(id -> before.replicas().contains(id) && !before.adding().contains(id));
        TreeSet<Integer> removing = new TreeSet<>(before.replicas());
        target.forEach(removing::remove);
        boolean same =
                kafka.adding().equals(List.copyOf(adding)) && kafka.removing().equals(List.copyOf(removing));
        boolean completed = kafka.adding().isEmpty()
                && kafka.removing().isEmpty()
                && kafka.replicas().equals(target)
                && !kafka.isr().isEmpty();
        if (same && kafka.replicas().containsAll(target) || completed) {
            return kafka;
        }
        List<Integer> replicas = new ArrayList<>(target);
        replicas.addAll(removing);
        return decided(c, replicas, List.copyOf(adding), List.copyOf(removing), before.isr(), List.of(), c::active);
    }

    /** Kafka refuses, as if it were the cancellation that takes the last one out of the ISR. */
    private static View waiting(Case c, View kafka) {
        return c.step() instanceof Step.Reassign reassign && reassign.target() == null && c.otherAnswers()
                ? cancelled(c)
                : kafka;
    }

    /** Kafka puts the first replica into the empty ISR, whoever that is, and calls its election clean. */
    private static View uncleanCancel(Case c, View kafka) {
        boolean emptied = c.step() instanceof Step.Reassign reassign
                && reassign.target() == null
                && !c.otherAnswers()
                && without(c.before().isr(), c.before().adding()).isEmpty();
        return emptied && !kafka.equals(c.before()) ? cancelled(c) : kafka;
    }

    private static View cancelled(Case c) {
        View before = c.before();
        return decided(
                c,
                without(before.replicas(), before.adding()),
                List.of(),
                List.of(),
                without(before.isr(), before.adding()),
                List.of(),
                c::active);
    }

    /** What comes of it, told once more in other words, for the rules that change what is decided on. */
    private static View decided(
            Case c,
            List<Integer> replicas,
            List<Integer> adding,
            List<Integer> removing,
            List<Integer> wishedIsr,
            Collection<Integer> forgotten,
            IntPredicate acceptable) {
        List<Integer> staying = without(replicas, removing);
        List<Integer> inSync = without(wishedIsr, removing);
        boolean completed = !inSync.isEmpty()
                && inSync.containsAll(adding)
                && (adding.size() >= removing.size() || inSync.containsAll(staying));
        List<Integer> all = completed ? staying : replicas;
        List<Integer> isr = new ArrayList<>(wishedIsr);
        isr.retainAll(all);
        return concluded(
                c, all, completed ? List.of() : adding, completed ? List.of() : removing, isr, forgotten, acceptable);
    }

    /** The seats beside that ISR, and the election. */
    private static View concluded(
            Case c,
            List<Integer> all,
            List<Integer> adding,
            List<Integer> removing,
            List<Integer> isr,
            Collection<Integer> forgotten,
            IntPredicate acceptable) {
        View before = c.before();
        TreeSet<Integer> elr = new TreeSet<>();
        List<SeatReport> doubted = new ArrayList<>();
        if (isr.size() < c.ourMin()) {
            seats(c, all, isr, forgotten, elr, doubted);
        }
        List<Integer> seats = new ArrayList<>(isr);
        if (isr.isEmpty()) {
            seats.addAll(elr);
            doubted.forEach(report -> seats.remove(Integer.valueOf(report.brokerId())));
        }
        boolean asked =
                c.step() instanceof Step.Elect || c.step() instanceof Step.Balance balance && !balance.unclean();
        boolean forced = c.step() instanceof Step.Elect elect && elect.unclean();
        IntPredicate valid = id -> seats.contains(id) && acceptable.test(id);
        int leader = asked && !forced && valid.test(all.get(0))
                ? all.get(0)
                : valid.test(before.leader()) ? before.leader() : first(all, valid);
        boolean never = asked && !forced || c.step() instanceof Step.Reassign move && move.target() != null;
        boolean unclean = false;
        if (leader == -1 && !never) {
            boolean anybody = forced || c.uncleanAllowed();
            leader = anybody
                    ? best(doubted.stream().filter(report -> report.logEnd() > 0 && acceptable.test(report.brokerId())))
                    : isr.isEmpty() && seats.isEmpty() ? best(doubted.stream()) : -1;
            if (anybody && leader == -1) {
                // Whoever is doubted and was not the best one has nothing.
                IntPredicate nothing = id -> doubted.stream().anyMatch(report -> report.brokerId() == id);
                leader = first(all, id -> acceptable.test(id) && !nothing.test(id));
                leader = leader == -1 ? first(all, acceptable) : leader;
            }
            leader = acceptable.test(leader) ? leader : -1;
            unclean = leader != -1;
        }
        List<Integer> isrAfter = leader != -1 && !isr.contains(leader) ? List.of(leader) : isr;
        elr.removeAll(isrAfter);
        if (unclean || isrAfter.size() >= c.ourMin()) {
            elr.clear();
            doubted.clear();
        }
        List<Integer> lost = new ArrayList<>();
        doubted.stream()
                .map(SeatReport::brokerId)
                .filter(id -> !elr.contains(id))
                .forEach(lost::add);
        List<Integer> lastKnown = new ArrayList<>();
        if (leader == -1) {
            lastKnown.addAll(before.leader() != -1 ? List.of(before.leader()) : before.lastKnownElr());
            lastKnown.removeIf(id -> c.was().report(id) != null && !before.elr().contains(id) && !lost.contains(id));
            lastKnown.retainAll(all);
        }
        lost.removeAll(lastKnown);
        lastKnown.addAll(lost);
        boolean led = leader != before.leader() || unclean || !all.containsAll(before.replicas());
        View view = new View(
                all,
                adding,
                removing,
                isrAfter,
                List.copyOf(elr),
                lastKnown,
                leader,
                before.leaderEpoch() + (led ? 1 : 0),
                before.partitionEpoch(),
                before.recovering() || unclean);
        boolean changed = !view.equals(before) || !doubted.equals(c.was().unproven());
        return with(view, view.isr(), view.elr(), view.lastKnownElr(), changed ? 1 : 0);
    }

    /** Who has a seat, and whose log is doubted (B1). */
    private static void seats(
            Case c,
            List<Integer> all,
            List<Integer> isr,
            Collection<Integer> forgotten,
            TreeSet<Integer> elr,
            List<SeatReport> doubted) {
        Floor floor = said(c) == null ? c.was().floor() : said(c);
        for (int id : without(without(all, isr), forgotten)) {
            boolean returned = c.returned() != null && c.returned().broker() == id;
            SeatReport report = c.was().report(id);
            if (returned && (report != null || unclean(c.returned()))) {
                report = SideBySide.report(c.returned(), c.ours().id());
            }
            boolean seated = c.before().isr().contains(id) || c.before().elr().contains(id);
            if (!seated && c.was().report(id) == null) {
                continue;
            }
            boolean enough = report == null || floor.kind() == Floor.Kind.KNOWN && report.logEnd() >= floor.offset();
            if (seated && (enough || floor.kind() != Floor.Kind.KNOWN)) {
                elr.add(id);
            }
            if (!seated || !enough) {
                doubted.add(report);
            }
        }
    }

    private static boolean unclean(Step.Register step) {
        return step.evidence() == Step.Evidence.NONE;
    }

    /** All of their logs are of one epoch. */
    private static int best(Stream<SeatReport> reports) {
        int best = -1;
        long most = -1;
        for (SeatReport report : reports.toList()) {
            if (report.logEnd() > most) {
                most = report.logEnd();
                best = report.brokerId();
            }
        }
        return best;
    }

    /** The floor that the step has brought, or null. */
    private static Floor said(Case c) {
        PartitionState was = c.was();
        if (!(c.step() instanceof Step.Alter alter)
                || alter.floor() < 0
                || c.ours().isr().size() >= c.ourMin()) {
            return null;
        }
        boolean here = c.topic().equals(alter.topic())
                && c.ours().id().partition() == alter.partition()
                && c.ours().floor().equals(SideBySide.floor(alter.floor()));
        boolean held = was.isr().size() < was.minIsr() || alter.isr().size() < was.minIsr();
        boolean better = was.floor().kind() != Floor.Kind.KNOWN || was.floor().offset() > alter.floor();
        return here && held && better ? c.ours().floor() : null;
    }

    /** Kafka takes every unclean return for a loss of the seat, and every other for proof; it chooses by order. */
    private static View evidence(Case c, View kafka) {
        Step.Register returned = c.returned();
        boolean judged = returned != null
                && unclean(returned)
                && (c.before().isr().contains(returned.broker())
                        || c.before().elr().contains(returned.broker()));
        if (!judged && c.was().unproven().isEmpty()) {
            return kafka;
        }
        boolean elected = !(c.step() instanceof Step.Alter)
                && kafka.leader() != -1
                && !c.before().isr().contains(kafka.leader())
                && kafka.isr().equals(List.of(kafka.leader()));
        return concluded(
                c,
                kafka.replicas(),
                kafka.adding(),
                kafka.removing(),
                elected ? List.of() : kafka.isr(),
                List.of(),
                c::active);
    }

    private static View floorSaid(Case c, View view) {
        return said(c) != null && view.partitionEpoch() == c.before().partitionEpoch()
                ? with(view, view.isr(), view.elr(), view.lastKnownElr(), 1)
                : view;
    }

    /**
     * Kafka empties ELR and last-known leader, and counts PE where there was anything to empty. Here PE counts where the
     * effective min ISR changes, and a partition that waits for its seats goes on waiting.
     */
    private static View minIsrChange(Case c, View kafka) {
        if (!(c.step() instanceof Step.Config config) || !config.key().equals(ClusterImage.MIN_ISR_KEY)) {
            return kafka;
        }
        View before = c.before();
        boolean cleared = !before.elr().isEmpty() || !before.lastKnownElr().isEmpty();
        View cleaned = with(before, before.isr(), List.of(), List.of(), cleared ? 1 : 0);
        if (!kafka.equals(cleaned) && !kafka.equals(before)) {
            return kafka;
        }
        PartitionState was = c.imageBefore().partition(c.ours().id());
        List<Integer> lastKnown = before.leader() == -1 ? before.lastKnownElr() : List.of();
        List<Integer> seats = before.isr().isEmpty() ? before.elr() : List.of();
        return was.minIsr() == c.ourMin() ? before : with(before, before.isr(), seats, lastKnown, 1);
    }

    private static View with(View view, List<Integer> isr, List<Integer> elr, List<Integer> lastKnown, int changes) {
        return new View(
                view.replicas(),
                view.adding(),
                view.removing(),
                isr,
                elr,
                lastKnown,
                view.leader(),
                view.leaderEpoch(),
                view.partitionEpoch() + changes,
                view.recovering());
    }

    private static View order(Case c, View kafka) {
        List<Integer> isr = c.before().isr();
        boolean reordered = kafka.isr().size() == isr.size()
                && kafka.isr().containsAll(isr)
                && !kafka.isr().equals(isr);
        return reordered ? settled(c, with(kafka, isr, kafka.elr(), kafka.lastKnownElr(), 0)) : kafka;
    }

    /** Kafka elects, uncleanly and without being allowed to, whoever led last, once ISR and ELR are empty. */
    private static View lastKnownLeader(Case c, View kafka) {
        View before = c.before();
        boolean elected = before.leader() == -1
                && before.lastKnownElr().equals(List.of(kafka.leader()))
                && kafka.isr().equals(List.of(kafka.leader()))
                && kafka.elr().isEmpty()
                && kafka.recovering()
                && before.isr().isEmpty()
                && !before.elr().contains(kafka.leader());
        if (!elected) {
            return kafka;
        }
        boolean unclean = c.step() instanceof Step.Elect elect
                ? elect.unclean()
                : c.uncleanAllowed() && !(c.step() instanceof Step.Reassign);
        if (unclean) {
            int leader = first(kafka.replicas(), c::active);
            return new View(
                    kafka.replicas(),
                    kafka.adding(),
                    kafka.removing(),
                    List.of(leader),
                    List.of(),
                    List.of(),
                    leader,
                    kafka.leaderEpoch(),
                    kafka.partitionEpoch(),
                    true);
        }
        boolean replicaLeft = !kafka.replicas().containsAll(before.replicas());
        return settled(
                c,
                new View(
                        kafka.replicas(),
                        kafka.adding(),
                        kafka.removing(),
                        List.of(),
                        List.of(),
                        before.lastKnownElr(),
                        -1,
                        before.leaderEpoch() + (replicaLeft ? 1 : 0),
                        0,
                        before.recovering()));
    }

    private static View strangers(Case c, View kafka) {
        if (kafka.replicas().containsAll(c.before().replicas())) {
            return kafka;
        }
        List<Integer> elr = new ArrayList<>(kafka.elr());
        elr.retainAll(kafka.replicas());
        List<Integer> lastKnown = new ArrayList<>(kafka.lastKnownElr());
        lastKnown.retainAll(kafka.replicas());
        return with(kafka, kafka.isr(), elr, lastKnown, 0);
    }

    /** Kafka leaves it its seat, and counts LE once for the ISR and once for the leader. */
    private static View unregistered(Case c, View kafka) {
        View before = c.before();
        if (!(c.step() instanceof Step.Unregister gone)
                || !(before.isr().contains(gone.broker())
                        || before.elr().contains(gone.broker())
                        || c.was().report(gone.broker()) != null)) {
            return kafka;
        }
        List<Integer> self = List.of(gone.broker());
        return decided(
                c, before.replicas(), before.adding(), before.removing(), without(before.isr(), self), self, c::active);
    }

    /** Kafka counts the replicas of partition 0, with those that a reassignment adds and removes. */
    private static View ownMinIsr(Case c, View kafka) {
        boolean unclean = kafka.leader() != -1
                && !c.before().isr().contains(kafka.leader())
                && !c.before().elr().contains(kafka.leader())
                && kafka.recovering();
        if (c.kafkaMin() == c.ourMin() || unclean || c.step() instanceof Step.Config) {
            return kafka;
        }
        List<Integer> lost = new ArrayList<>();
        if (c.step() instanceof Step.Register register && register.evidence() == Step.Evidence.NONE) {
            lost.add(register.broker());
        } else if (c.step() instanceof Step.Unregister gone) {
            lost.add(gone.broker());
        }
        List<Integer> elr = new ArrayList<>();
        if (kafka.isr().size() < c.ourMin()) {
            elr.addAll(union(c.before(), kafka.isr(), lost));
            elr.retainAll(kafka.replicas());
        }
        return elr.equals(kafka.elr()) ? kafka : settled(c, with(kafka, kafka.isr(), elr, kafka.lastKnownElr(), 0));
    }

    /** Kafka decides on the ELR before the election, and leaves the rest of it beside an ISR that is large enough. */
    private static View afterElection(Case c, View kafka) {
        return kafka.isr().size() >= c.ourMin()
                        && kafka.leader() != c.before().leader()
                        && c.before().elr().contains(kafka.leader())
                ? with(kafka, kafka.isr(), List.of(), kafka.lastKnownElr(), 0)
                : kafka;
    }

    // ---- words for the rules ----

    /** With the PE that goes with it: one more than before if anything else is other than before. */
    private static View settled(Case c, View view) {
        View same = with(
                view, view.isr(), view.elr(), view.lastKnownElr(), c.before().partitionEpoch() - view.partitionEpoch());
        return same.equals(c.before()) ? same : with(same, same.isr(), same.elr(), same.lastKnownElr(), 1);
    }

    /** Who had a seat and is not in that ISR, sorted. */
    private static List<Integer> union(View before, List<Integer> isr, Collection<Integer> lost) {
        TreeSet<Integer> seats = new TreeSet<>(before.isr());
        seats.addAll(before.elr());
        seats.removeAll(isr);
        seats.removeAll(lost);
        return List.copyOf(seats);
    }

    private static List<Integer> without(List<Integer> members, Collection<Integer> leaving) {
        List<Integer> staying = new ArrayList<>(members);
        staying.removeAll(leaving);
        return staying;
    }

    private static int first(List<Integer> replicas, IntPredicate wanted) {
        return replicas.stream().filter(wanted::test).findFirst().orElse(-1);
    }
}
