package io.tidemark.quorum.ratis;

import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.quorum.files.NodeFiles;
import io.tidemark.quorum.files.RecoveryFile;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.rpc.CallId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One controller: a server of the quorum with its replica of the metadata. */
public final class QuorumServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(QuorumServer.class);
    private static final long TRANSFER_MS = 1_000;
    private static final long REMOVED_MS = 3_000;
    private static final long FIRST_START_STEP_MS = 700;

    private final QuorumSettings settings;
    private final RaftGroup group;
    private final MetadataStateMachine machine;
    private final RaftServer server;
    private final RaftServer.Division division;
    private final LeaderDuties duties;
    private final BrokerConnections brokers;
    private final Snapshotter snapshotter;

    private QuorumServer(QuorumSettings settings, DecisionMaker decisions, NodeClock clock, FatalHandler fatal)
            throws IOException {
        this.settings = settings;
        QuorumStorage.requireNotRemoved(settings.directory());
        QuorumStorage.requireImage(settings.directory());
        boolean joining = QuorumStorage.joining(settings.directory());
        RaftGroup founders = RatisProperties.group(settings.clusterId(), settings.voters());
        // Who joins belongs to no group until it is taken in.
        group = joining ? RaftGroup.valueOf(founders.getGroupId()) : founders;
        HistoryKeeper history = new HistoryKeeper(
                QuorumStorage.root(settings.directory()),
                settings.directory().resolve(NodeFiles.HISTORY),
                settings.history().maxAgeMs(),
                settings.history().maxBytes());
        machine = new MetadataStateMachine(
                settings.nodeId(), decisions, clock, new SecureRandom(), fatal, settings.directory(), history);
        machine.membership().removedIf(this::wasRemoved);
        requireFreePort(settings.self());
        QuorumJoin join = joining ? new QuorumJoin(settings) : null;
        if (joining) {
            join.leave();
        }
        if (QuorumStorage.begin(settings.directory()) && !joining) {
            waitForTurn();
        }
        machine.recovery(RecoveryFile.read(RecoveryFile.in(settings.directory())));
        server = RaftServer.newBuilder()
                .setServerId(RatisProperties.peerId(settings.nodeId()))
                .setGroup(group)
                .setProperties(RatisProperties.server(settings))
                .setStateMachine(machine)
                .setOption(RaftStorage.StartupOption.RECOVER)
                .build();
        try {
            server.start();
            division = server.getDivision(group.getGroupId());
            if (!joining) {
                QuorumStorage.takesPart(settings.directory());
            }
        } catch (IOException | RuntimeException e) {
            machine.membership().expectShutdown();
            server.close();
            throw e;
        }
        InternalCommands commands = new InternalCommands(server, group.getGroupId(), decisions::finished);
        duties = new LeaderDuties(machine, division.getInfo(), decisions, commands, clock, settings);
        brokers =
                new BrokerConnections(machine, division.getInfo(), decisions, clock, duties::submit, settings.nodeId());
        snapshotter = new Snapshotter(machine, server, group.getGroupId(), clock, history, settings);
        if (joining) {
            join.enter();
            QuorumStorage.takesPart(settings.directory());
            QuorumStorage.joined(settings.directory());
        }
        machine.membership().expectMembership();
    }

    /**
     * Starts a controller; when this returns it listens and takes part. Throws IOException if it cannot listen or its
     * log cannot be read, DirectoryException if the log is gone.
     */
    public static QuorumServer start(QuorumSettings settings, DecisionMaker decisions, FatalHandler fatal)
            throws IOException {
        return start(settings, decisions, NodeClock.SYSTEM, fatal);
    }

    static QuorumServer start(QuorumSettings settings, DecisionMaker decisions, NodeClock clock, FatalHandler fatal)
            throws IOException {
        return new QuorumServer(settings, decisions, clock, fatal);
    }

    /**
     * A cluster that is formed by all at once may see two leaders in its first moments, and a controller that led for an
     * instant cannot follow from its first entry on (see {@link UnsharedStart}). So on their very first start controllers
     * come in the order of the voters, and the first finds nobody who stands against it.
     */
    private void waitForTurn() {
        long place = settings.voters().stream()
                .filter(voter -> voter.id() < settings.nodeId())
                .count();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(place * FIRST_START_STEP_MS));
    }

    /** Ratis ends the process without a word where it cannot listen; this says why before. */
    private static void requireFreePort(QuorumVoter self) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(self.host(), self.port()));
        }
    }

    public int nodeId() {
        return settings.nodeId();
    }

    /** Whether this is the acting controller and has applied all that came before it (R7.97). */
    public boolean leads() {
        return division.getInfo().isLeader() && division.getInfo().isLeaderReady();
    }

    /** Whether it hears from an acting controller. */
    public boolean follows() {
        int leader = machine.leaderId();
        return leader >= 0 && leader != nodeId();
    }

    /** What this controller has applied. */
    public ClusterImage image() {
        return machine.applied().image();
    }

    /** How this controller stands. */
    public QuorumQuery.StatusAnswer status() {
        return machine.status();
    }

    /** Entries that took no effect since this process started; outside of fault tests each is a bug. */
    public long voidEntries() {
        return machine.voidEntries();
    }

    /** What was counted since this process started. */
    public ControllerCounts counts() {
        return machine.counts();
    }

    /** How far everybody is who follows the log; means something on the acting controller only. */
    public QuorumQuery.MembersAnswer members() {
        return machine.members().answer(image());
    }

    MetadataStateMachine machine() {
        return machine;
    }

    RaftServer.Division division() {
        return division;
    }

    /** Takes a snapshot now; false if that failed. */
    boolean takeSnapshot() throws InterruptedException, ExecutionException {
        return snapshotter.take();
    }

    /** Stops in bounded time, handing the leadership over first if there is somebody to take it. */
    @Override
    public void close() throws IOException {
        machine.membership().expectShutdown();
        brokers.close();
        duties.close();
        snapshotter.close();
        if (leads()) {
            handOver();
        }
        stop();
    }

    /** Stops without handing over, as a crash would. */
    void closeAbruptly() throws IOException {
        machine.membership().expectShutdown();
        brokers.close();
        duties.close();
        snapshotter.close();
        stop();
    }

    private void stop() throws IOException {
        server.close();
        machine.close();
    }

    /**
     * To the follower that is furthest; false without an answer in time, and then the others elect one by themselves.
     */
    boolean handOver() {
        RaftPeerId successor = furthestFollower();
        if (successor == null) {
            return false;
        }
        try {
            return server.transferLeadershipAsync(new TransferLeadershipRequest(
                            ClientId.randomId(),
                            server.getId(),
                            group.getGroupId(),
                            CallId.getAndIncrement(),
                            successor,
                            TRANSFER_MS))
                    .get(TRANSFER_MS, TimeUnit.MILLISECONDS)
                    .isSuccess();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | ExecutionException | TimeoutException | RuntimeException e) {
            LOG.info("the leadership could not be handed to {}: {}", successor, e.toString());
        }
        return false;
    }

    private RaftPeerId furthestFollower() {
        return machine.members().answer(image()).voters().stream()
                .filter(member -> member.id() != nodeId() && member.seenMs() >= 0)
                .max(Comparator.comparingLong(QuorumQuery.Member::endIndex))
                .map(member -> RatisProperties.peerId(member.id()))
                .orElse(null);
    }

    /** Asks the others, and keeps what they say for the next start. Not knowing is no. */
    private boolean wasRemoved() {
        List<QuorumVoter> others = settings.voters().stream()
                .filter(voter -> voter.id() != nodeId())
                .toList();
        if (others.isEmpty()) {
            return false;
        }
        try (QuorumAdmin quorum = new QuorumAdmin(others, settings.clusterId(), settings.rpc(), REMOVED_MS)) {
            if (QuorumAdmin.has(quorum.members(), nodeId())) {
                return false;
            }
            QuorumStorage.removed(settings.directory());
            return true;
        } catch (IOException e) {
            LOG.info("whether this controller was removed is not known: {}", e.getMessage());
            return false;
        }
    }
}
