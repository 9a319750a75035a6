package io.tidemark.broker.sim;

import io.tidemark.broker.log.ProducerState;
import io.tidemark.broker.replica.LeaderProbe;
import io.tidemark.broker.replica.Replica;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.model.EpochAndOffset;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.PartitionState;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What holds of every replica after every turn of its loop: R1.4, I1, I3, I4, I6 to I10, I13, I14, R2.41. */
final class ReplicaChecks {
    /** A replica before a turn. */
    record Before(
            PartitionState state,
            boolean leads,
            long mark,
            Map<Integer, Long> registered,
            Map<Integer, LeaderProbe.Fetch> fetches) {
        static Before of(PartitionHost host) {
            Replica replica = host.replica();
            return replica == null
                    ? null
                    : new Before(
                            replica.state(),
                            replica.leads(),
                            host.highWatermark(),
                            LeaderProbe.registered(replica),
                            LeaderProbe.fetches(replica));
        }
    }

    private record Leadership(PartitionId id, int epoch) {}

    /** What is known of one replica of one process. */
    private static final class Known {
        final Process process;
        final LogContent content;
        long exposedTo;
        int ledIn = -1;
        /** When the epoch that it leads in was decided. */
        long ledSince;

        Known(Process process, LogContent content) {
            this.process = process;
            this.content = content;
        }
    }

    private record Place(int broker, PartitionId id) {}

    private final Simulation sim;
    private final Checks checks;
    private final Map<Place, Known> known = new HashMap<>();
    private final Map<Leadership, Integer> leaders = new HashMap<>();

    ReplicaChecks(Simulation sim, Checks checks) {
        this.sim = sim;
        this.checks = checks;
    }

    void after(Process process, PartitionHost host, Before before) {
        PartitionHistory history = checks.history(host.id());
        if (history.deleted()) {
            // The broker has not heard of it yet.
            return;
        }
        if (host.failed()) {
            failed(process, host, before);
            return;
        }
        if (host.replica() == null) {
            return;
        }
        Replica replica = host.replica();
        if (replica.logStart() > replica.highWatermark() || replica.highWatermark() > replica.logEnd()) {
            throw new Violation("R1.4", describe(process, host));
        }
        PartitionState state = replica.state();
        if (before != null
                && before.state() != null
                && state.partitionEpoch() < before.state().partitionEpoch()) {
            throw new Violation("I6", describe(process, host) + " after " + before.state());
        }
        Known replicaKnown = content(process, host, replica, history);
        if (state != null && replica.leads()) {
            leads(process, host, replica, replicaKnown, history, before);
        }
        exposes(process, host, replica, replicaKnown, history, before);
    }

    /** Only a disk puts a partition out of service; what it exposed in its last turn counts. */
    private void failed(Process process, PartitionHost host, Before before) {
        if (!process.machine().trouble().hasFailed() && !process.ending()) {
            throw new Violation("failed", "broker " + process.id() + " " + host.name() + " is out of service");
        }
        lastExposed(process, host, before);
    }

    /** Of a partition that is not served any more from this turn on. */
    void lastExposed(Process process, PartitionHost host, Before before) {
        Known one = known.get(new Place(process.id(), host.id()));
        PartitionHistory history = checks.history(host.id());
        if (before != null
                && !history.deleted()
                && one != null
                && one.process == process
                && one.exposedTo < host.highWatermark()) {
            one.content.readTo(host.highWatermark());
            exposes(process, host, host.replica(), one, history, before);
        }
    }

    private Known content(Process process, PartitionHost host, Replica replica, PartitionHistory history) {
        Place place = new Place(process.id(), host.id());
        Known earlier = known.get(place);
        boolean goesOn = earlier != null
                && earlier.process == process
                && replica.logEnd() >= earlier.content.end()
                && replica.logStart() <= earlier.content.end();
        Known one = goesOn ? earlier : anew(process, host, replica, earlier);
        known.put(place, one);
        for (PartitionHistory.Batch batch : one.content.readTo(replica.logEnd())) {
            history.written(process.id(), batch);
            // Records below the start are given up, though the batch that holds it is whole.
            long first = Math.max(batch.base(), replica.logStart());
            if (replica.epochs().epochAt(first) != batch.epoch()) {
                throw new Violation(
                        "I8", "broker " + process.id() + " " + host.name() + ": " + replica.epochs() + " for " + batch);
            }
        }
        if (!goesOn) {
            host.producers((producer, remembered) ->
                    remembered.batches().forEach(batch -> remembered(producer, batch, host, one)));
        }
        return one;
    }

    private static Known anew(Process process, PartitionHost host, Replica replica, Known earlier) {
        Known one = new Known(process, new LogContent(process.machine(), host.name(), replica.logStart()));
        if (earlier != null && earlier.process == process) {
            one.ledIn = earlier.ledIn;
            one.ledSince = earlier.ledSince;
        }
        one.exposedTo = replica.logStart();
        return one;
    }

    /** R5.34: after recovery and after a truncation, what is remembered of a producer is in the log. */
    private static void remembered(long producer, ProducerState.Batch batch, PartitionHost host, Known one) {
        if (batch.firstOffset() < host.replica().logStart() || batch.lastOffset() >= one.content.end()) {
            return;
        }
        PartitionHistory.Batch there = one.content.at(batch.firstOffset());
        if (there == null
                || there.next() != batch.lastOffset() + 1
                || there.producer() != producer
                || there.lastSequence() != batch.lastSequence()) {
            throw new Violation(
                    "producers",
                    "broker " + one.process.id() + " " + host.name() + " remembers " + batch + " of producer "
                            + producer + ", there is " + there);
        }
    }

    private void leads(
            Process process, PartitionHost host, Replica replica, Known one, PartitionHistory history, Before before) {
        PartitionState state = replica.state();
        if (one.ledIn != state.leaderEpoch()) {
            assumed(process, host, replica, one, history);
        }
        boolean sameEpoch = before != null && before.leads() && before.state().leaderEpoch() == state.leaderEpoch();
        if (sameEpoch && host.highWatermark() < before.mark()) {
            throw new Violation("I13", describe(process, host) + ": the mark was at " + before.mark());
        }
        if (sameEpoch) {
            recorded(process, host, replica, before);
        }
        if (sameEpoch && host.highWatermark() > before.mark()) {
            if (history.underMinIsr(before.state().partitionEpoch(), state.partitionEpoch())) {
                throw new Violation(
                        "I1", describe(process, host) + ": the mark rises under the min ISR of " + state.minIsr());
            }
            for (int member : state.isr()) {
                if (before.state().isr().contains(member)) {
                    holds(member, host.id(), host.highWatermark(), one.ledSince, describe(process, host));
                }
            }
            epochStored(process, host, replica);
        }
    }

    /** I14: no fetch of an incarnation is recorded that was known to be gone. */
    private void recorded(Process process, PartitionHost host, Replica replica, Before before) {
        LeaderProbe.fetches(replica).forEach((follower, fetch) -> {
            LeaderProbe.Fetch earlier = before.fetches().get(follower);
            long registered = before.registered().getOrDefault(follower, -1L);
            if (!fetch.equals(earlier) && fetch.brokerEpoch() < registered) {
                throw new Violation(
                        "I14",
                        describe(process, host) + ": a fetch of broker " + follower + " epoch " + fetch.brokerEpoch()
                                + " is recorded, registered is " + registered);
            }
        });
    }

    /** I7, and I3: whoever leads has all that was exposed before. */
    private void assumed(Process process, PartitionHost host, Replica replica, Known one, PartitionHistory history) {
        int epoch = replica.state().leaderEpoch();
        one.ledIn = epoch;
        one.ledSince = history.decidedAt(epoch);
        Integer other = leaders.putIfAbsent(new Leadership(host.id(), epoch), process.id());
        if (other != null && other != process.id()) {
            throw new Violation("I7", describe(process, host) + ": broker " + other + " has led in that epoch");
        }
        if (replica.state().recovering() && epoch > history.leaderEpoch()) {
            PartitionHistory.Batch across = history.exposedAcross(replica.logStart());
            long common =
                    across != null && across.equals(one.content.at(across.base())) ? across.next() : replica.logStart();
            for (PartitionHistory.Batch batch : history.exposed(common, Long.MAX_VALUE)) {
                if (!batch.equals(one.content.at(batch.base()))) {
                    break;
                }
                common = batch.next();
            }
            // Also if nothing is missing so far: a former leader may not have heard of it yet, and expose more.
            sim.trace().note("records given up", host.id().partition(), common, history.end());
            history.givenUp(epoch, common, sim.queue().now());
        }
        if (epoch > history.leaderEpoch()) {
            history.led(process, epoch);
            hasAll(describe(process, host), one, history, history.end());
        }
    }

    private static void hasAll(String who, Known one, PartitionHistory history, long to) {
        PartitionHistory.Batch last = history.lastExposed();
        if (last == null) {
            return;
        }
        if (one.content.end() < to) {
            throw new Violation("I3", who + " leads without what was exposed up to " + to);
        }
        for (PartitionHistory.Batch batch : history.exposed(0, to)) {
            PartitionHistory.Batch own = one.content.at(batch.base());
            if (own != null && !own.equals(batch)) {
                throw new Violation("I3", who + " leads with " + own + " where " + batch + " was exposed");
            }
        }
    }

    /** I1: a member of the ISR has really written all below the mark, unless it has lost it since. */
    private void holds(int member, PartitionId id, long mark, long since, String who) {
        PartitionHost host = hostOf(member, id);
        if (host == null || lossy(member) || sim.machine(member).powerLostAt() >= since) {
            return;
        }
        if (host.replica().logEnd() < mark) {
            throw new Violation(
                    "I1",
                    who + ": the mark is at " + mark + ", member " + member + " ends at "
                            + host.replica().logEnd());
        }
    }

    /** That replica, if it is there and in service. */
    private PartitionHost hostOf(int broker, PartitionId id) {
        Process process = sim.machine(broker).process();
        PartitionHost host = process == null ? null : process.host(id);
        return host == null || host.failed() || host.replica() == null ? null : host;
    }

    private void exposes(
            Process process, PartitionHost host, Replica replica, Known one, PartitionHistory history, Before before) {
        // Who led when the turn began may have raised the mark in it before it was told of another.
        boolean led = before != null && before.leads();
        int epoch = led
                ? before.state().leaderEpoch()
                : replica.leads() ? replica.state().leaderEpoch() : -1;
        // What the replica has decided and its loop has not carried out yet, nobody has seen.
        // Before the first metadata the mark is a checkpoint's, of an epoch that nobody knows any more.
        int known = led
                ? epoch
                : replica.state() == null ? Integer.MAX_VALUE : replica.state().leaderEpoch();
        long mark = host.highWatermark();
        long endBefore = history.end();
        while (one.exposedTo < mark) {
            PartitionHistory.Batch batch = one.content.at(one.exposedTo);
            if (batch == null || batch.next() > mark) {
                // The log starts, or the mark stands, inside a batch.
                if (batch == null) {
                    one.exposedTo = nextBase(one, mark);
                    continue;
                }
                break;
            }
            history.exposes(process.id(), led || replica.leads(), known, batch);
            one.exposedTo = batch.next();
        }
        if (history.end() > endBefore) {
            extended(host, epoch, history);
        }
    }

    private static long nextBase(Known one, long mark) {
        for (long offset = one.exposedTo + 1; offset < mark; offset++) {
            if (one.content.at(offset) != null) {
                return offset;
            }
        }
        return mark;
    }

    /** More was exposed: whoever leads in a later epoch has it, and so has everybody with a seat. */
    private void extended(PartitionHost host, int epoch, PartitionHistory history) {
        if (history.leaderEpoch() > epoch) {
            Process later = history.leader();
            Known there = known.get(new Place(later.id(), host.id()));
            if (there != null && there.process == later) {
                hasAll("broker " + later.id() + " in epoch " + history.leaderEpoch(), there, history, history.end());
            }
        }
        if (history.state() != null) {
            seats(history.state());
        }
    }

    /** I4, I10: members of ISR and ELR hold all that was exposed, unless they have lost something since they joined. */
    void seats(PartitionState state) {
        PartitionHistory history = checks.history(state.id());
        PartitionHistory.Batch last = history.lastExposed();
        if (last == null || state.recovering()) {
            // An unclean election gives up what only the new leader can tell.
            return;
        }
        for (int member : state.replicas()) {
            boolean seated = state.isr().contains(member) || state.elr().contains(member);
            // Who waits for the floor is not known to hold it (B1).
            if (!seated || state.waitsForFloor(member) || lossy(member)) {
                continue;
            }
            PartitionHost host = hostOf(member, state.id());
            Known one = known.get(new Place(member, state.id()));
            if (host == null
                    || one == null
                    || one.process != sim.machine(member).process()) {
                continue;
            }
            boolean has = host.replica().logEnd() >= history.end();
            PartitionHistory.Batch own = one.content.at(last.base());
            if (!has || own != null && !own.equals(last)) {
                throw new Violation(
                        state.isr().contains(member) ? "I10" : "I4",
                        "member " + member + " of " + state + " ends at "
                                + host.replica().logEnd() + ", exposed is " + last);
            }
        }
    }

    /** Whether it has lost something that the cluster does not know of yet. */
    private boolean lossy(int broker) {
        BrokerState registered = checks.newest().broker(broker);
        return registered == null || sim.machine(broker).hasLostSince(registered.incarnationId());
    }

    /** R2.41, R5.24: the epoch a leader serves in is in its checkpoint. */
    private void epochStored(Process process, PartitionHost host, Replica replica) {
        List<EpochAndOffset> entries = replica.epochs().entries();
        if (entries.isEmpty()) {
            return;
        }
        int epoch = replica.state().leaderEpoch();
        ByteBuffer file = process.machine().file(Path.of(host.name().toString(), "leader-epoch-checkpoint"));
        String text = file == null ? "" : StandardCharsets.UTF_8.decode(file).toString();
        if (!text.contains("\n" + epoch + " ")) {
            throw new Violation("R2.41", describe(process, host) + ": its epoch is not in the checkpoint");
        }
    }

    private static String describe(Process process, PartitionHost host) {
        Replica replica = host.replica();
        return "broker " + process.id() + " " + host.name() + " " + replica.state() + " start " + replica.logStart()
                + " mark " + replica.highWatermark() + " end " + replica.logEnd() + " " + replica.isrState();
    }
}
