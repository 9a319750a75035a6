package io.tidemark.broker.scenario;

import io.tidemark.broker.log.DataDirectory;
import io.tidemark.broker.log.LogName;
import io.tidemark.broker.log.LogSettings;
import io.tidemark.broker.log.OpenedLog;
import io.tidemark.broker.replica.BrokerView;
import io.tidemark.broker.replica.LeaderLease;
import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.broker.replica.ReplicaSettings;
import io.tidemark.broker.replica.SessionClock;
import io.tidemark.model.MonoTime;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.LocalChanges;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.SeatReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One process of a broker: what recovery found, its replicas, and the metadata it has learned. */
final class BrokerProcess {
    /** Of a follower, while it keeps it. */
    record Session(int follower, long brokerEpoch, int number) {}

    private final Cluster cluster;
    private final Machine machine;
    private final String incarnation;
    private final DataDirectory directory;
    private final long previousEpoch;
    private final boolean nothingLost;
    private final List<SeatReport> reports = new ArrayList<>();
    private final Map<Integer, Copy> copies = new TreeMap<>();
    private final LeaderLease lease;
    private final ReplicaSettings settings;
    private final Map<Session, SessionClock> sessions = new HashMap<>();
    private ClusterImage image = ClusterImage.EMPTY;
    private long brokerEpoch = -1;
    private int session;
    boolean silent;
    boolean writesHeld;

    BrokerProcess(Cluster cluster, Machine machine, String incarnation) throws IOException {
        this.cluster = cluster;
        this.machine = machine;
        this.incarnation = incarnation;
        this.lease = cluster.leaseMs() < 0 ? LeaderLease.endless() : LeaderLease.of(cluster.leaseMs());
        this.settings = new ReplicaSettings(machine.id, cluster.lagMs(), 50, 500, 1000, 20, lease);
        this.session = cluster.newSession();
        this.directory =
                DataDirectory.open(machine.disk(), Machine.ROOT, machine.index(), machine.bootEvidence(), incarnation);
        this.previousEpoch = directory.cleanBrokerEpoch().orElse(-1);
        directory.startLoading();
        for (DataDirectory.FoundLog found : directory.logs()) {
            OpenedLog opened = directory.openLog(found, LogSettings.DEFAULTS);
            reports.add(opened.report(machine.id, found.id()));
            copies.put(found.id().partition(), new Copy(cluster, this, found.id(), opened));
        }
        directory.allLogsOpened();
        this.nothingLost = directory.nothingLost(false);
    }

    int id() {
        return machine.id;
    }

    long brokerEpoch() {
        return brokerEpoch;
    }

    ReplicaSettings settings() {
        return settings;
    }

    Map<Integer, Copy> copies() {
        return copies;
    }

    Copy copy(int partition) {
        Copy copy = copies.get(partition);
        if (copy == null) {
            throw new ScenarioException("broker " + machine.id + " has no replica of partition " + partition);
        }
        return copy;
    }

    /** What recovery found, in words. */
    String found() {
        return (previousEpoch >= 0 ? "stopped in order as " + previousEpoch : "did not stop in order")
                + (nothingLost ? ", same boot and nothing cut" : "");
    }

    // ---- registration ----

    QuorumCommand.RegisterBroker registration() {
        return new QuorumCommand.RegisterBroker(
                Quorum.CLUSTER_ID,
                machine.id,
                incarnation,
                directories(machine.id),
                endpoints(machine.id),
                "",
                previousEpoch,
                directory.evidence(false),
                nothingLost,
                1,
                1,
                reports);
    }

    static List<String> directories(int id) {
        return List.of("directory-" + id);
    }

    static List<Endpoint> endpoints(int id) {
        return List.of(new Endpoint("INTERNAL", "broker", id));
    }

    void registered(long epoch) {
        brokerEpoch = epoch;
    }

    /** Its heartbeats are answered, unless nobody hears it. */
    void heartbeat(long now) {
        if (!silent && cluster.leaseMs() >= 0) {
            lease.answered(new MonoTime(now));
        }
    }

    void checkLease(long now) {
        if (!lease.runs(new MonoTime(now))) {
            copies.values().forEach(copy -> copy.step(new ReplicaEvent.LeaseRanOut()));
        }
    }

    // ---- metadata ----

    long applied() {
        return image.index();
    }

    void learn(ClusterImage after) throws IOException {
        if (after.index() <= image.index()) {
            late(after);
            return;
        }
        LocalChanges changes = LocalChanges.between(image, after, machine.id);
        image = after;
        for (PartitionId id : changes.removed()) {
            remove(id);
        }
        for (PartitionState state : changes.changed()) {
            hear(state, after);
        }
        for (PartitionState state : changes.eligibility()) {
            copy(state.id().partition()).step(new ReplicaEvent.EligibilityChanged(viewOf(state, after), after.index()));
        }
        for (Copy copy : List.copyOf(copies.values())) {
            if (copy.replica().changePending()) {
                copy.step(new ReplicaEvent.FeedReached(after.index()));
            }
        }
    }

    /** What it knows already, or something older. */
    private void late(ClusterImage old) throws IOException {
        for (var topic : old.topics().values()) {
            for (PartitionState state : topic.partitions()) {
                if (state.replicas().contains(machine.id)) {
                    hear(state, old);
                }
            }
        }
    }

    private void hear(PartitionState state, ClusterImage in) throws IOException {
        int partition = state.id().partition();
        if (!copies.containsKey(partition)) {
            LogName name = Cluster.nameOf(partition);
            OpenedLog created = directory.createLog(name, state.id(), LogSettings.DEFAULTS);
            copies.put(partition, new Copy(cluster, this, state.id(), created));
        }
        copies.get(partition).step(new ReplicaEvent.MetadataChanged(state, viewOf(state, in), in.index()));
    }

    private void remove(PartitionId id) throws IOException {
        Copy copy = copies.remove(id.partition());
        if (copy != null) {
            copy.step(new ReplicaEvent.Removed());
            copy.log().abandon();
            LogName name = Cluster.nameOf(id.partition());
            Path path = Machine.ROOT.resolve(name.toString());
            directory.deleteRemoved(directory.removeLog(new DataDirectory.FoundLog(name, id, path)));
            cluster.out().say("%d: removes its replica", machine.id);
        }
    }

    private static Map<Integer, BrokerView> viewOf(PartitionState state, ClusterImage in) {
        Map<Integer, BrokerView> views = new HashMap<>();
        for (int replica : state.replicas()) {
            BrokerState broker = in.broker(replica);
            if (broker != null) {
                views.put(replica, new BrokerView(replica, broker.epoch(), broker.active()));
            }
        }
        return views;
    }

    // ---- sessions ----

    /** The session that it fetches in, as a follower. */
    Session session() {
        return new Session(machine.id, brokerEpoch, session);
    }

    void newSession() {
        session = cluster.newSession();
    }

    /** What this broker, as a leader, knows of that session. */
    SessionClock clockOf(Session follower) {
        return sessions.computeIfAbsent(follower, ignored -> new SessionClock());
    }

    // ---- the end ----

    void storeMarks() throws IOException {
        Map<PartitionId, Long> marks = new HashMap<>();
        copies.values()
                .forEach(copy -> marks.put(copy.replica().id(), copy.replica().highWatermark()));
        directory.checkpointHighWatermarks(marks);
    }

    void storePoints() throws IOException {
        directory.checkpointRecoveryPoints();
        directory.checkpointLogStarts();
    }

    void close() throws IOException {
        storeMarks();
        for (Copy copy : copies.values()) {
            copy.log().close();
        }
        if (brokerEpoch >= 0) {
            directory.closeCleanly(brokerEpoch);
        } else {
            directory.close();
        }
    }

    void abandon() throws IOException {
        for (Copy copy : copies.values()) {
            copy.log().abandon();
        }
    }
}
