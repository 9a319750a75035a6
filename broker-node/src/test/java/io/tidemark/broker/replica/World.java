package io.tidemark.broker.replica;

import io.tidemark.model.EpochAndOffset;
import io.tidemark.model.MonoTime;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.PartitionState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Some brokers with a replica of one partition each; the test is the network, the clock and the controller. */
final class World {
    static final PartitionId PARTITION = new PartitionId(new TopicId(7, 7), 0);
    static final long LAG_MS = ReplicaSettings.defaults(0).lagTimeMaxMs();

    /** A fetch on its way to the leader. */
    record Request(int follower, long brokerEpoch, FetchPosition position) {}

    /** An answer on its way to the follower, with the batches it carries. */
    record Answer(ReplicaEvent.FetchAnswered event, List<ModelLog.Batch> batches) {}

    /** What a consumer got: an error, or contents (maybe none). */
    record Consumed(ReplicaError error, List<String> contents) {}

    long now = 1_000_000;
    /** Of the nodes that are added from now on. */
    LeaderLease lease = LeaderLease.endless();

    final Map<Integer, Node> nodes = new TreeMap<>();
    final Map<Integer, BrokerView> views = new TreeMap<>();
    /** One session per follower and leader. */
    private final Map<List<Integer>, SessionClock> sessions = new HashMap<>();

    private final int minIsr;
    private final List<Integer> replicas;
    private long index;
    private long token;

    /** Brokers of these ids, with broker epochs 11, 12, 13...: the baseline of the scenarios. */
    World(int minIsr, Integer... replicas) {
        this.minIsr = minIsr;
        this.replicas = List.of(replicas);
        for (int replica : replicas) {
            views.put(replica, new BrokerView(replica, 10 + replica, true));
        }
    }

    World with(int id, String log, long highWatermark) {
        nodes.put(
                id,
                new Node(
                        id,
                        PARTITION,
                        ModelLog.of(log),
                        highWatermark,
                        views.get(id).epoch(),
                        lease));
        sessions.keySet().removeIf(pair -> pair.contains(id));
        return this;
    }

    /** A new incarnation over that log, registered under {@code epoch}. */
    Node restart(int id, ModelLog log, long highWatermark, long epoch) {
        views.put(id, new BrokerView(id, epoch, true));
        Node node = new Node(id, PARTITION, log, highWatermark, epoch);
        nodes.put(id, node);
        sessions.keySet().removeIf(pair -> pair.contains(id));
        return node;
    }

    Node at(int id) {
        return nodes.get(id);
    }

    // ---- metadata ----

    /** M{L= LE= PE= ISR= ELR=} of the partition. */
    PartitionState state(int leader, int leaderEpoch, int partitionEpoch, List<Integer> isr, Integer... elr) {
        return state(minIsr, leader, leaderEpoch, partitionEpoch, isr, elr);
    }

    PartitionState state(int min, int leader, int leaderEpoch, int partitionEpoch, List<Integer> isr, Integer... elr) {
        return new PartitionState(
                PARTITION,
                replicas,
                isr,
                Arrays.asList(elr),
                List.of(),
                leader,
                leaderEpoch,
                partitionEpoch,
                false,
                List.of(),
                List.of(),
                Floor.NONE,
                List.of(),
                min);
    }

    /** The same state with that floor. */
    static PartitionState with(Floor floor, PartitionState state) {
        return with(floor, state.adding(), state);
    }

    /** The same state while a reassignment adds that replica. */
    static PartitionState adding(int added, PartitionState state) {
        return with(state.floor(), List.of(added), state);
    }

    private static PartitionState with(Floor floor, List<Integer> adding, PartitionState state) {
        return new PartitionState(
                state.id(),
                state.replicas(),
                state.isr(),
                state.elr(),
                state.lastKnownElr(),
                state.leader(),
                state.leaderEpoch(),
                state.partitionEpoch(),
                state.recovering(),
                adding,
                state.removing(),
                floor,
                state.unproven(),
                state.minIsr());
    }

    /** Whom it tells, as "[names] data?". */
    static String words(Effect.Notify notify) {
        return Arrays.toString(notify.watchers()) + (notify.data() ? " data" : "");
    }

    /** Everybody, or these brokers only, learn that state. */
    long publish(PartitionState state, int... to) {
        index++;
        for (int id : to.length == 0 ? all() : to) {
            nodes.get(id).step(now, new ReplicaEvent.MetadataChanged(state, Map.copyOf(views), index));
        }
        return index;
    }

    /** These brokers learn how the brokers stand now; the partition is as before. */
    void publishBrokers(int... to) {
        index++;
        for (int id : to) {
            nodes.get(id).step(now, new ReplicaEvent.EligibilityChanged(Map.copyOf(views), index));
        }
    }

    private int[] all() {
        return nodes.keySet().stream().mapToInt(Integer::intValue).toArray();
    }

    void active(int id, boolean active) {
        views.put(id, new BrokerView(id, views.get(id).epoch(), active));
    }

    void accept(int leader, Effect.SendAlter alter, int leaderEpoch, int partitionEpoch, List<Integer> isr) {
        acceptAt(leader, alter, index, leaderEpoch, partitionEpoch, isr);
    }

    void acceptAt(int leader, Effect.SendAlter alter, long at, int leaderEpoch, int partitionEpoch, List<Integer> isr) {
        at(leader)
                .step(
                        now,
                        new ReplicaEvent.AlterAnswered(
                                alter.proposal(), ErrorCode.NONE, at, leaderEpoch, partitionEpoch, isr));
    }

    void refuse(int leader, Effect.SendAlter alter, ErrorCode error) {
        at(leader).step(now, new ReplicaEvent.AlterAnswered(alter.proposal(), error, index, -1, -1, List.of()));
    }

    void loseAnswer(int leader, Effect.SendAlter alter) {
        at(leader).step(now, new ReplicaEvent.AlterUnknown(alter.proposal()));
    }

    // ---- clients ----

    /** Returns the token of the answer. */
    long produce(int broker, int acks, String... contents) {
        token++;
        at(broker).produce(now, token, acks, now + 120_000, List.of(contents));
        return token;
    }

    /** {@code count} records with acks=1 and contents of their own. */
    void append(int broker, int count) {
        List<String> contents = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            contents.add("r" + (token + 1) + "." + i);
        }
        produce(broker, 1, contents.toArray(String[]::new));
    }

    Consumed consume(int broker, long offset) {
        token++;
        Node node = at(broker);
        node.step(now, new ReplicaEvent.ConsumerFetch(token, -1, offset, -1, false));
        if (node.reads.get(token) instanceof Effect.ReadAllowed read) {
            return new Consumed(
                    ReplicaError.NONE,
                    node.log.read(offset, read.limit()).stream()
                            .map(ModelLog.Batch::content)
                            .toList());
        }
        return new Consumed(((Effect.ReadRefused) node.reads.get(token)).error(), List.of());
    }

    /** ListOffsets of a client, as "ERROR" or "offset". */
    String offset(int broker, ReplicaEvent.OffsetQuery.Bound bound) {
        Effect.OffsetFound found = query(broker, bound, true);
        return found.error() == ReplicaError.NONE
                ? String.valueOf(found.offset())
                : found.error().name();
    }

    private Effect.OffsetFound query(int broker, ReplicaEvent.OffsetQuery.Bound bound, boolean fromClient) {
        token++;
        at(broker).step(now, new ReplicaEvent.OffsetQuery(token, -1, bound, fromClient));
        return (Effect.OffsetFound) at(broker).reads.get(token);
    }

    // ---- replication ----

    Request ask(int follower) {
        Node node = at(follower);
        FetchPosition position = node.replica.fetchPosition(new MonoTime(now));
        return position == null ? null : new Request(follower, node.brokerEpoch, position);
    }

    /** The leader that the request names handles it now. */
    Answer serve(Request request) {
        return serve(request, Integer.MAX_VALUE);
    }

    Answer serve(Request request, int maxBatches) {
        FetchPosition position = request.position();
        Effect read = look(position.leader(), request);
        if (read instanceof Effect.ReadAllowed allowed) {
            List<ModelLog.Batch> batches = at(position.leader()).log.read(position.offset(), allowed.limit()).stream()
                    .limit(maxBatches)
                    .toList();
            return answer(
                    position,
                    ReplicaError.NONE,
                    EpochAndOffset.UNDEFINED,
                    allowed.highWatermark(),
                    allowed.logStart(),
                    batches);
        }
        if (read instanceof Effect.ReadDiverges diverges) {
            return answer(
                    position,
                    ReplicaError.NONE,
                    new EpochAndOffset(diverges.epoch(), diverges.endOffset()),
                    diverges.highWatermark(),
                    diverges.logStart(),
                    List.of());
        }
        ReplicaError error = ((Effect.ReadRefused) read).error();
        return answer(position, error, EpochAndOffset.UNDEFINED, -1, -1, List.of());
    }

    /** What the leader says to that request, without the reading. */
    Effect look(int leader, Request request) {
        FetchPosition position = request.position();
        token++;
        SessionClock clock = sessions.computeIfAbsent(List.of(request.follower(), leader), pair -> new SessionClock());
        if (clock.brokerEpoch() != -1 && clock.brokerEpoch() != request.brokerEpoch()) {
            clock = new SessionClock();
        }
        clock.fetched(now, request.brokerEpoch());
        at(leader)
                .step(
                        now,
                        new ReplicaEvent.FollowerFetch(
                                token,
                                request.follower(),
                                position.leaderEpoch(),
                                position.offset(),
                                position.lastFetchedEpoch(),
                                position.logStart(),
                                clock,
                                true));
        return at(leader).reads.get(token);
    }

    /** The follower's session goes on, but this partition is not named in it. */
    void heartbeatFetch(int follower) {
        int leader = at(follower).replica.state().leader();
        sessions.get(List.of(follower, leader)).fetched(now, at(follower).brokerEpoch);
    }

    /** The follower's session goes on without this partition. */
    void leaveSession(int follower) {
        int leader = at(follower).replica.state().leader();
        at(leader).step(now, new ReplicaEvent.SessionLeft(sessions.get(List.of(follower, leader))));
    }

    static Answer answer(
            FetchPosition position,
            ReplicaError error,
            EpochAndOffset diverging,
            long mark,
            long logStart,
            List<ModelLog.Batch> batches) {
        List<ReplicaEvent.FetchedBatch> rows = new ArrayList<>();
        for (ModelLog.Batch batch : batches) {
            rows.add(new ReplicaEvent.FetchedBatch(
                    batch.base(), batch.last(), batch.epoch(), rows.size(), rows.size() + 1));
        }
        return new Answer(
                new ReplicaEvent.FetchAnswered(
                        position.leaderEpoch(), position.offset(), error, diverging, mark, logStart, rows),
                batches);
    }

    /** One round trip of a fetch; returns what the follower was answered. */
    Answer fetch(int follower) {
        Answer answer = serve(ask(follower));
        at(follower).receive(now, answer);
        return answer;
    }

    /** Fetches until nothing moves any more. */
    void catchUp(int follower) {
        for (int i = 0; i < 20; i++) {
            long end = at(follower).end();
            long mark = at(follower).mark();
            Answer answer = fetch(follower);
            if (at(follower).end() == end
                    && at(follower).mark() == mark
                    && answer.event().diverging().isUndefined()) {
                return;
            }
        }
        throw new AssertionError("no end of fetching: " + at(follower).log);
    }

    /** The leader answers what the follower asked about its ends. */
    void answerOffsets(int follower, int leader) {
        long earliest =
                query(leader, ReplicaEvent.OffsetQuery.Bound.EARLIEST, false).offset();
        long latest =
                query(leader, ReplicaEvent.OffsetQuery.Bound.LATEST, false).offset();
        int epoch = at(leader).replica.state().leaderEpoch();
        at(follower).step(now, new ReplicaEvent.LeaderOffsets(epoch, earliest, latest));
    }

    // ---- time ----

    void pass(long millis) {
        now += millis;
    }

    /** Lets time pass for that broker in the steps its own deadlines ask for. */
    void passTicking(int broker, long millis) {
        long until = now + millis;
        while (true) {
            long next = at(broker).replica.nextDeadlineMs(new MonoTime(now));
            if (next > until) {
                break;
            }
            now = Math.max(now, next);
            tick(broker);
            if (at(broker).replica.nextDeadlineMs(new MonoTime(now)) <= now) {
                throw new AssertionError("a deadline that a tick does not clear");
            }
        }
        now = until;
    }

    void tick(int broker) {
        at(broker).step(now, new ReplicaEvent.Tick());
    }
}
