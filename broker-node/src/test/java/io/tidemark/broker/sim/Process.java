package io.tidemark.broker.sim;

import io.tidemark.broker.api.ApiHandler;
import io.tidemark.broker.api.DeleteRecordsHandler;
import io.tidemark.broker.api.EpochEndHandler;
import io.tidemark.broker.api.FetchHandler;
import io.tidemark.broker.api.ListOffsetsHandler;
import io.tidemark.broker.api.ProduceHandler;
import io.tidemark.broker.log.DataDirectory;
import io.tidemark.broker.log.OpenedLog;
import io.tidemark.broker.peer.FollowerFetchers;
import io.tidemark.broker.replica.LeaderLease;
import io.tidemark.broker.replica.ReplicaSettings;
import io.tidemark.broker.runtime.AlterPartitionSender;
import io.tidemark.broker.runtime.LogStore;
import io.tidemark.broker.runtime.MetadataPublisher;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.broker.runtime.TopicSettings;
import io.tidemark.model.MonoTime;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.SeatReport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;

/**
 * One run of a broker: the real parts of {@link io.tidemark.broker.app.Broker}, wired together as there, with loops
 * that are turned on virtual time.
 */
public final class Process {
    private static final int STORED_MARKS_MS = 1_500;
    private static final int STORED_POINTS_MS = 9_000;
    private static final long SHUTDOWN_BEAT_MICROS = 50_000;
    private static final long HAND_OVER_MICROS = 4_000_000;

    private final Simulation sim;
    private final Machine machine;
    private final Chance chance;
    private final String incarnation;
    private final QuorumClient quorum;
    private final LeaderLease lease = LeaderLease.of(Controllers.SESSION_MS - Controllers.HEARTBEAT_MS);
    private final Map<ApiKeys, ApiHandler> handlers = new EnumMap<>(ApiKeys.class);

    private DataDirectory directory;
    private final List<SimLoop> loops = new ArrayList<>();
    /** Null before the logs are open. */
    private Partitions partitions;

    private MetadataPublisher publisher;
    private List<OpenedLog> recovered;
    private long previousEpoch;
    private boolean nothingLost;
    private List<SeatReport> reports = List.of();

    private boolean alive = true;
    private boolean listening;
    private long brokerEpoch = -1;
    private ClusterImage image = ClusterImage.EMPTY;
    private int position;
    private int source;
    private long polls;
    private boolean caughtUp;
    private boolean unfenced;
    private boolean stopping;
    private boolean closing;
    private boolean beating;
    private long feedLagMicros;

    Process(Simulation sim, Machine machine, int run, Chance chance) {
        this.sim = sim;
        this.machine = machine;
        this.chance = chance;
        this.incarnation = "incarnation-" + machine.id() + "-" + run;
        this.quorum = new QuorumClient(sim, machine.id(), () -> alive);
        for (int i = 0; i < sim.profile().loops(); i++) {
            loops.add(new SimLoop(sim, this, chance.fork()));
        }
        this.source = chance.between(Controllers.FIRST_ID, Controllers.FIRST_ID + Controllers.COUNT - 1);
    }

    public int id() {
        return machine.id();
    }

    String incarnation() {
        return incarnation;
    }

    public Machine machine() {
        return machine;
    }

    boolean alive() {
        return alive;
    }

    boolean listening() {
        return listening;
    }

    long brokerEpoch() {
        return brokerEpoch;
    }

    /** It closes its logs. */
    boolean ending() {
        return closing;
    }

    boolean unfenced() {
        return unfenced;
    }

    /** What this broker knows of the cluster. */
    public ClusterImage image() {
        return publisher == null ? ClusterImage.EMPTY : publisher.image();
    }

    /** None before the logs are open. */
    List<PartitionLoop> loops() {
        return partitions == null ? List.of() : partitions.loops();
    }

    public Collection<PartitionHost> hosts() {
        List<PartitionHost> all = new ArrayList<>();
        loops().forEach(loop -> all.addAll(loop.hosts()));
        return all;
    }

    /** Null if it is not here. */
    PartitionHost host(PartitionId id) {
        return partitions == null ? null : partitions.loopOf(id).host(id);
    }

    void feedLag(long micros) {
        feedLagMicros = micros;
    }

    // ---- time ----

    /** Something that other threads than the loops do; with one loop its turn follows at once, to have fewer events. */
    void later(long micros, Runnable task) {
        sim.queue().after(micros, () -> run(task, loops.size() == 1 ? loops.get(0) : null));
    }

    /** Runs the task unless the process has ended, once it is not paused; then {@code turned} has a turn, if not null. */
    void run(Runnable task, SimLoop turned) {
        if (!alive) {
            return;
        }
        if (sim.queue().now() < machine.pausedUntil()) {
            sim.queue().at(machine.pausedUntil(), () -> run(task, turned));
            return;
        }
        try {
            task.run();
            if (turned != null && alive) {
                turned.turn();
            }
        } catch (ProcessEnd end) {
            end.finish();
            sim.operator().machineWentDown(machine);
        }
    }

    /** Threads that may block: each task takes its time, then happens at once. */
    private Executor pool(long longest) {
        return task -> sim.queue().after(chance.delay(50, longest), () -> run(task, null));
    }

    private void every(long millis, Runnable task) {
        later(chance.between(1, (int) millis) * 1000L, () -> again(millis, task));
    }

    private void again(long millis, Runnable task) {
        if (!closing) {
            task.run();
            later(millis * 1000, () -> again(millis, task));
        }
    }

    // ---- start ----

    void start() {
        // Recovery takes a while.
        later(chance.delay(30_000, 400_000), () -> {
            try {
                open();
            } catch (IOException e) {
                sim.trace().note("cannot start", id(), String.valueOf(e.getMessage()));
                die();
                machine.ended(this);
                sim.operator().machineWentDown(machine);
                return;
            }
            register();
        });
    }

    private void open() throws IOException {
        directory =
                DataDirectory.open(machine.disk(), Machine.ROOT, machine.index(), machine.bootEvidence(), incarnation);
        boolean synced = sim.profile().log().synced();
        previousEpoch = directory.cleanBrokerEpoch().orElse(-1);
        directory.startLoading();
        recovered = new ArrayList<>();
        List<DataDirectory.FoundLog> found = directory.logs();
        for (DataDirectory.FoundLog log : found) {
            recovered.add(directory.openLog(log, sim.profile().log()));
            sim.checks().recovered(machine, log, recovered.get(recovered.size() - 1));
        }
        directory.allLogsOpened(synced);
        reports = new ArrayList<>();
        for (int i = 0; i < found.size(); i++) {
            reports.add(recovered.get(i).report(id(), found.get(i).id()));
        }
        nothingLost = directory.nothingLost(synced);
        sim.trace().note("recovered", id(), found.size(), "clean", previousEpoch, "lost", !nothingLost);
        AlterPartitionSender alter = new AlterPartitionSender(
                id(),
                () -> brokerEpoch,
                sim.checks().watched(this, quorum),
                task -> sim.queue().after(chance.delay(20, 500), () -> run(task, null)));
        PartitionLoop.Ports ports = new PartitionLoop.Ports(
                pool(sim.profile().slowestSyncMicros()), pool(2_000), alter, new LogStore(directory, Machine.ROOT));
        List<PartitionLoop> built = new ArrayList<>();
        for (int i = 0; i < loops.size(); i++) {
            built.add(new PartitionLoop(i, loops.size(), sim.queue()::mono, ports));
        }
        partitions = new Partitions(built);
        TopicSettings topics = TopicSettings.defaults(sim.profile().log());
        ReplicaSettings replicas = new ReplicaSettings(id(), sim.profile().lagTimeMaxMs(), 50, 500, 200, 20, lease);
        for (int i = 0; i < found.size(); i++) {
            PartitionId partition = found.get(i).id();
            PartitionHost.recovered(
                    partition, found.get(i).name(), partitions.loopOf(partition), topics, replicas, recovered.get(i));
        }
        publisher = new MetadataPublisher(replicas, topics, partitions);
        FollowerFetchers.Settings fetch =
                new FollowerFetchers.Settings(id(), () -> brokerEpoch, SimCall.LISTENER, 500, 1, 32 << 10, 128 << 10);
        for (PartitionLoop loop : built) {
            SimLoop driver = loops.get(loop.index());
            loop.wire(
                    partitions,
                    new FollowerFetchers(
                            loop,
                            endpoint -> new SimLink(sim, this, driver, endpoint.port()),
                            publisher::image,
                            fetch));
            driver.drive(loop);
        }
        handlers.put(ApiKeys.PRODUCE, new ProduceHandler(publisher::image, partitions));
        handlers.put(
                ApiKeys.FETCH,
                new FetchHandler(publisher::image, partitions, SimCall.LISTENER, 100, 256 << 10, true, () ->
                        (int) chance.bits()));
        handlers.put(ApiKeys.LIST_OFFSETS, new ListOffsetsHandler(publisher::image, partitions));
        handlers.put(ApiKeys.DELETE_RECORDS, new DeleteRecordsHandler(publisher::image, partitions));
        handlers.put(ApiKeys.OFFSET_FOR_LEADER_EPOCH, new EpochEndHandler(publisher::image, partitions));
        listening = true;
    }

    private void register() {
        if (stopping) {
            return;
        }
        quorum.submit(new QuorumCommand.RegisterBroker(
                        "sim",
                        id(),
                        incarnation,
                        List.of("directory-" + id()),
                        List.of(new Endpoint(SimCall.LISTENER, "sim", id())),
                        "",
                        previousEpoch,
                        directory.evidence(sim.profile().log().synced()),
                        nothingLost,
                        1,
                        1,
                        reports))
                .whenComplete((answer, failure) -> later(10, () -> registered(answer)));
    }

    private void registered(QuorumReply.Answer answer) {
        if (answer == null || !(answer.reply() instanceof QuorumReply.Registered)) {
            later(100_000, this::register);
            return;
        }
        brokerEpoch = answer.brokerEpoch();
        sim.trace().note("registered", id(), brokerEpoch);
        poll();
        every(Controllers.HEARTBEAT_MS, this::beat);
        every(STORED_MARKS_MS, this::storeMarks);
        every(STORED_POINTS_MS, this::storePoints);
        every(Controllers.HEARTBEAT_MS, this::checkLease);
    }

    // ---- metadata ----

    /** Asks for news; an answer to an earlier question is not taken. */
    private void poll() {
        long mine = ++polls;
        int from = source;
        if (sim.network().fate(id(), from) == Network.Fate.DELIVERED) {
            boolean whole = position == 0 && chance.oneIn(2);
            sim.queue()
                    .after(
                            sim.network().delay(id(), from),
                            () -> sim.controllers().poll(from, position, whole, (count, feed) -> {
                                if (sim.network().reaches(from, id())) {
                                    long delay = sim.network().delay(from, id())
                                            + chance.delay(0, 20_000)
                                            + chance.delay(0, 1 + feedLagMicros);
                                    later(delay, () -> news(mine, count, feed));
                                }
                            }));
        }
        later(chance.between(1_500_000, 3_000_000), () -> {
            if (polls == mine && !closing) {
                source = Controllers.FIRST_ID + (source - Controllers.FIRST_ID + 1) % Controllers.COUNT;
                poll();
            }
        });
    }

    private void news(long poll, int count, Controllers.Feed feed) {
        if (poll != polls || closing) {
            return;
        }
        position = count;
        image = feed.after(image);
        if (image.index() >= brokerEpoch) {
            sim.trace().note("publish", id(), image.index());
            publisher.publish(image);
            if (!caughtUp) {
                caughtUp = true;
                publisher.removeStrays();
            }
            BrokerState self = image.broker(id());
            if (self != null && self.epoch() == brokerEpoch && !self.fenced()) {
                unfenced = true;
            }
        }
        poll();
    }

    private void beat() {
        if (beating || !caughtUp) {
            return;
        }
        beating = true;
        int to = quorum.leader();
        MonoTime sent = sim.queue().mono();
        QuorumQuery.Heartbeat beat =
                new QuorumQuery.Heartbeat(id(), brokerEpoch, publisher.image().index(), false, stopping);
        Network.Fate fate = sim.network().fate(id(), to);
        boolean[] done = new boolean[1];
        if (fate != Network.Fate.LOST) {
            long delay = fate == Network.Fate.LATE
                    ? sim.network().lateness()
                    : sim.network().delay(id(), to);
            sim.queue().after(delay, () -> {
                QuorumQuery.HeartbeatAnswer answer = sim.controllers().heartbeat(to, beat);
                if ((fate == Network.Fate.DELIVERED || fate == Network.Fate.TWICE)
                        && sim.network().reaches(to, id())) {
                    later(sim.network().delay(to, id()), () -> {
                        if (!done[0]) {
                            done[0] = true;
                            beating = false;
                            if (answer == null) {
                                quorum.leaderFailed(to);
                            } else {
                                beatAnswered(answer, sent);
                            }
                        }
                    });
                }
            });
        }
        later(Controllers.HEARTBEAT_MS * 1000, () -> {
            if (!done[0]) {
                done[0] = true;
                beating = false;
                quorum.leaderFailed(to);
            }
        });
    }

    private void beatAnswered(QuorumQuery.HeartbeatAnswer answer, MonoTime sent) {
        if (answer.error() == ErrorCode.NONE && (!answer.fenced() || !unfenced)) {
            lease.answered(sent);
        }
        if (answer.error() == ErrorCode.STALE_BROKER_EPOCH || answer.error() == ErrorCode.BROKER_ID_NOT_REGISTERED) {
            sim.trace().note("no longer registered", id(), brokerEpoch);
            if (!stopping) {
                die();
                machine.ended(this);
                sim.operator().machineWentDown(machine);
            }
        } else if (answer.shouldShutDown() && stopping) {
            close();
        }
    }

    // ---- upkeep ----

    private void storeMarks() {
        Map<PartitionId, Long> marks = new HashMap<>();
        hosts().forEach(host -> marks.put(host.id(), host.highWatermark()));
        pool(3_000).execute(() -> store(() -> directory.checkpointHighWatermarks(marks)));
    }

    private void storePoints() {
        pool(3_000)
                .execute(() -> store(() -> {
                    directory.checkpointRecoveryPoints();
                    directory.checkpointLogStarts();
                }));
    }

    /** Something that writes a checkpoint. */
    private interface Storing {
        void run() throws IOException;
    }

    private void store(Storing storing) {
        try {
            storing.run();
        } catch (IOException e) {
            // As in production: a checkpoint that cannot be written ends the process.
            throw new ProcessEnd(() -> machine.crash(Machine.Crash.PROCESS));
        }
    }

    private void checkLease() {
        if (!lease.runs(sim.queue().mono())) {
            for (PartitionLoop loop : loops()) {
                loop.post(() -> List.copyOf(loop.hosts()).forEach(PartitionHost::leaseRanOut));
            }
        }
    }

    // ---- requests ----

    /** A loop that a new connection may belong to. */
    int anyLoop() {
        return loops.size() == 1 ? 0 : chance.between(0, loops.size() - 1);
    }

    /** A request arrives on a connection of that loop; {@code answer} gets the response, null for none. */
    void serve(int loop, AbstractRequest request, Consumer<AbstractResponse> answer) {
        SimLoop home = loops.get(loop);
        home.now(() -> {
            if (listening) {
                home.loop().refreshTime();
                handlers.get(request.apiKey())
                        .handle(new SimCall(request, loop, response -> home.answer(() -> answer.accept(response))));
            }
        });
    }

    // ---- end ----

    /** From here on nothing of this process happens any more. */
    void die() {
        alive = false;
        listening = false;
    }

    /** Begins an orderly stop. */
    void stop() {
        if (stopping) {
            return;
        }
        stopping = true;
        sim.trace().note("stop", id());
        if (brokerEpoch < 0 || !caughtUp) {
            later(10, this::close);
            return;
        }
        later(10, this::beatToStop);
        later(HAND_OVER_MICROS, this::close);
    }

    private void beatToStop() {
        if (!closing) {
            beat();
            later(SHUTDOWN_BEAT_MICROS, this::beatToStop);
        }
    }

    private void close() {
        if (closing) {
            return;
        }
        closing = true;
        if (partitions == null) {
            gone(false);
            return;
        }
        Map<PartitionId, Long> marks = new HashMap<>();
        hosts().forEach(host -> marks.put(host.id(), host.highWatermark()));
        store(() -> directory.checkpointHighWatermarks(marks));
        List<CompletableFuture<Boolean>> closed = new ArrayList<>();
        loops().forEach(loop -> loop.leaving().forEach(host -> closed.add(host.whenGone())));
        for (PartitionHost host : List.copyOf(hosts())) {
            CompletableFuture<Boolean> done = new CompletableFuture<>();
            closed.add(done);
            host.loop().post(() -> host.close(done));
        }
        CompletableFuture.allOf(closed.toArray(CompletableFuture[]::new))
                .thenRun(() -> later(10, () -> {
                    boolean all = closed.stream().allMatch(CompletableFuture::join);
                    listening = false;
                    if (all && brokerEpoch >= 0) {
                        store(() -> directory.closeCleanly(brokerEpoch));
                    }
                    gone(all);
                }));
    }

    private void gone(boolean orderly) {
        sim.trace().note("stopped", id(), orderly);
        die();
        machine.ended(this);
        sim.operator().machineWentDown(machine);
    }
}
