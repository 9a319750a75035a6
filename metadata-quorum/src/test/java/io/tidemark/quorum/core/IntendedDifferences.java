package io.tidemark.quorum.core;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.PartitionState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.IntPredicate;
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
            new Rule("B21 the ELR goes with the ISR after the election", IntendedDifferences::afterElection));

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
                id -> !gone.contains(id) && PartitionMoves.active(c.imageBefore(), id),
                c.uncleanAllowed());
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
        return decided(
                c, replicas, List.copyOf(adding), List.copyOf(removing), before.isr(), List.of(), c::active, false);
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
                c::active,
                c.uncleanAllowed());
    }

    /** What comes of it, told once more in other words, for the rules that change what is decided on. */
    private static View decided(
            Case c,
            List<Integer> replicas,
            List<Integer> adding,
            List<Integer> removing,
            List<Integer> wishedIsr,
            Collection<Integer> lost,
            IntPredicate acceptable,
            boolean uncleanAllowed) {
        View before = c.before();
        List<Integer> staying = without(replicas, removing);
        List<Integer> inSync = without(wishedIsr, removing);
        boolean completed = !inSync.isEmpty()
                && inSync.containsAll(adding)
                && (adding.size() >= removing.size() || inSync.containsAll(staying));
        List<Integer> all = completed ? staying : replicas;
        List<Integer> isr = new ArrayList<>(wishedIsr);
        isr.retainAll(all);
        List<Integer> elr = new ArrayList<>(isr.size() >= c.ourMin() ? List.of() : union(before, isr, lost));
        elr.retainAll(all);
        List<Integer> seats = isr.isEmpty() ? elr : isr;
        int leader = acceptable.test(before.leader()) && seats.contains(before.leader())
                ? before.leader()
                : first(all, id -> seats.contains(id) && acceptable.test(id));
        boolean unclean = leader == -1 && uncleanAllowed && first(all, acceptable) != -1;
        if (unclean) {
            leader = first(all, acceptable);
            elr = List.of();
        } else if (leader != -1 && isr.isEmpty()) {
            elr = c.ourMin() <= 1 ? List.of() : without(elr, List.of(leader));
        }
        boolean led = leader != -1;
        List<Integer> lastKnown =
                led ? List.of() : before.leader() != -1 ? List.of(before.leader()) : before.lastKnownElr();
        View view = new View(
                all,
                completed ? List.of() : adding,
                completed ? List.of() : removing,
                led && !isr.contains(leader) ? List.of(leader) : isr,
                elr,
                lastKnown.stream().filter(all::contains).toList(),
                leader,
                before.leaderEpoch() + (leader == before.leader() && all.containsAll(before.replicas()) ? 0 : 1),
                0,
                before.recovering() || unclean);
        return settled(c, view);
    }

    /** Kafka empties ELR and last-known leader, and counts PE where there was anything to empty. */
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
        return was.minIsr() == c.ourMin() ? before : with(before, before.isr(), List.of(), before.lastKnownElr(), 1);
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
                || !(before.isr().contains(gone.broker()) || before.elr().contains(gone.broker()))) {
            return kafka;
        }
        List<Integer> self = List.of(gone.broker());
        return decided(
                c,
                before.replicas(),
                before.adding(),
                before.removing(),
                without(before.isr(), self),
                self,
                c::active,
                c.uncleanAllowed());
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
