package io.tidemark.broker.scenario;

import io.tidemark.broker.log.BatchHeader;
import io.tidemark.broker.replica.Effect;
import io.tidemark.broker.replica.FetchPosition;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.broker.replica.SessionClock;
import io.tidemark.model.EpochAndOffset;
import io.tidemark.model.MonoTime;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Fetches between followers and leaders: at once, or request and answer each when the script says so. */
final class Fetches {
    /** A fetch that found its follower with this position. */
    private static final class Fetch {
        final Copy follower;
        final BrokerProcess.Session session;
        final FetchPosition position;
        ReplicaEvent.FetchAnswered answer;
        List<ByteBuffer> batches = List.of();

        Fetch(Copy follower, FetchPosition position) {
            this.follower = follower;
            this.session = follower.process().session();
            this.position = position;
        }
    }

    private static final int MOST_ROUNDS = 50;

    private final Cluster cluster;
    private final Map<String, Fetch> named = new LinkedHashMap<>();

    Fetches(Cluster cluster) {
        this.cluster = cluster;
    }

    private Fetch named(String name) {
        Fetch fetch = named.get(name);
        if (fetch == null) {
            throw new ScenarioException("no fetch is called " + name + ", only " + named.keySet());
        }
        return fetch;
    }

    /** Null if the follower does not fetch at this moment. */
    private Fetch next(int broker, int partition) {
        Copy follower = cluster.process(broker).copy(partition);
        FetchPosition position = follower.replica().fetchPosition(new MonoTime(cluster.now()));
        if (position == null) {
            cluster.out().say("%d does not fetch now", broker);
        }
        return position == null ? null : new Fetch(follower, position);
    }

    /** One round trip. */
    void fetch(int broker, int partition, int most) {
        Fetch fetch = next(broker, partition);
        if (fetch != null) {
            serve(fetch, "fetch " + broker, fetch.session, most);
            fetch.follower.receive(fetch.answer, fetch.batches);
        }
    }

    /** Until nothing moves; what is said of single fetches is left out. */
    void catchUp(int broker, int partition) {
        Copy follower = cluster.process(broker).copy(partition);
        for (int i = 0; i < MOST_ROUNDS; i++) {
            long end = follower.log().logEndOffset();
            long mark = follower.replica().highWatermark();
            List<String> said = cluster.out().during(() -> fetch(broker, partition, Integer.MAX_VALUE));
            said.removeIf(line -> line.startsWith("fetch "));
            cluster.out().sayAll(said);
            if (said.isEmpty()
                    && follower.log().logEndOffset() == end
                    && follower.replica().highWatermark() == mark) {
                cluster.out().say("%d: caught up at %d", broker, end);
                return;
            }
        }
        throw new AssertionError("no end of fetching");
    }

    void send(Command command) {
        Fetch fetch = next(command.broker(0), command.integer("p", 0));
        if (fetch != null) {
            String name = command.option("as", null);
            name = name == null ? cluster.newName('f') : name;
            named.put(name, fetch);
            cluster.out().say("%d: sends %s: %s", command.broker(0), name, Words.of(fetch.position));
        }
    }

    void serve(Command command) {
        String name = command.argument(0);
        Fetch fetch = named(name);
        BrokerProcess.Session own = fetch.session;
        long epoch = command.number("epoch", own.brokerEpoch());
        BrokerProcess.Session session =
                epoch == own.brokerEpoch() ? own : new BrokerProcess.Session(own.follower(), epoch, own.number());
        serve(fetch, name, session, command.integer("max", Integer.MAX_VALUE));
    }

    void receive(Command command) {
        Fetch fetch = named(command.argument(0));
        if (fetch.answer == null) {
            throw new ScenarioException(command.argument(0) + " has not been served");
        }
        fetch.follower.receive(fetch.answer, fetch.batches);
    }

    /** The leader that the fetch was sent to handles it now. */
    private void serve(Fetch fetch, String name, BrokerProcess.Session session, int most) {
        FetchPosition position = fetch.position;
        BrokerProcess process = cluster.process(position.leader());
        Copy leader = process.copy(fetch.follower.replica().id().partition());
        SessionClock clock = process.clockOf(session);
        clock.fetched(cluster.now(), session.brokerEpoch());
        long token = cluster.newToken();
        ReplicaEvent.FollowerFetch request = new ReplicaEvent.FollowerFetch(
                token,
                session.follower(),
                position.leaderEpoch(),
                position.offset(),
                position.lastFetchedEpoch(),
                position.logStart(),
                clock,
                true);
        Effect[] found = new Effect[1];
        List<String> said = cluster.out().during(() -> found[0] = leader.ask(token, request));
        cluster.out()
                .say(
                        "%s -> %d: %s = %s",
                        name, position.leader(), Words.of(position), answer(fetch, leader, found[0], most));
        cluster.out().sayAll(said);
    }

    /** Makes the answer, and says it. */
    private String answer(Fetch fetch, Copy leader, Effect read, int most) {
        FetchPosition position = fetch.position;
        if (read instanceof Effect.ReadAllowed allowed) {
            fetch.batches = leader.read(position.offset(), allowed.limit(), most);
            fetch.answer = answer(
                    position,
                    ReplicaError.NONE,
                    EpochAndOffset.UNDEFINED,
                    allowed.highWatermark(),
                    allowed.logStart(),
                    fetch.batches);
            return RecordText.of(fetch.batches) + " HW=" + allowed.highWatermark()
                    + (allowed.logStart() > 0 ? " start=" + allowed.logStart() : "");
        }
        fetch.batches = List.of();
        if (read instanceof Effect.ReadDiverges diverges) {
            fetch.answer = answer(
                    position,
                    ReplicaError.NONE,
                    new EpochAndOffset(diverges.epoch(), diverges.endOffset()),
                    diverges.highWatermark(),
                    diverges.logStart(),
                    List.of());
            return "diverges " + diverges.epoch() + ":" + diverges.endOffset();
        }
        ReplicaError error = ((Effect.ReadRefused) read).error();
        fetch.answer = answer(position, error, EpochAndOffset.UNDEFINED, -1, -1, List.of());
        return error.name();
    }

    private static ReplicaEvent.FetchAnswered answer(
            FetchPosition position,
            ReplicaError error,
            EpochAndOffset diverging,
            long mark,
            long logStart,
            List<ByteBuffer> batches) {
        List<ReplicaEvent.FetchedBatch> rows = new ArrayList<>();
        for (ByteBuffer batch : batches) {
            BatchHeader header = BatchHeader.read(batch, batch.position());
            rows.add(new ReplicaEvent.FetchedBatch(
                    header.baseOffset(), header.nextOffset() - 1, header.leaderEpoch(), rows.size(), rows.size() + 1));
        }
        return new ReplicaEvent.FetchAnswered(
                position.leaderEpoch(), position.offset(), error, diverging, mark, logStart, rows);
    }

    /** An answer that the script makes up. */
    void respond(Command command) {
        Copy follower = cluster.process(command.broker(0)).copy(command.integer("p", 0));
        FetchPosition present = follower.replica().fetchPosition(new MonoTime(cluster.now()));
        long at = present == null ? -1 : present.offset();
        int epoch = present == null ? -1 : present.leaderEpoch();
        FetchPosition position = new FetchPosition(-1, command.integer("le", epoch), command.number("at", at), -1, 0);
        List<ByteBuffer> batches = command.arguments().size() > 1 ? RecordText.batches(command.argument(1)) : List.of();
        EpochAndOffset diverging = command.has("diverging")
                ? Words.history(command.option("diverging", "")).entries().get(0)
                : EpochAndOffset.UNDEFINED;
        follower.receive(
                answer(
                        position,
                        ReplicaError.valueOf(command.option("error", "NONE")),
                        diverging,
                        command.number("hw", -1),
                        command.number("start", 0),
                        batches),
                batches);
    }

    /** The follower's session, at the leader that it follows. */
    private SessionClock clock(Copy follower) {
        int leader = follower.replica().state().leader();
        return cluster.process(leader).clockOf(follower.process().session());
    }

    void poll(Command command) {
        Copy follower = cluster.process(command.broker(0)).copy(0);
        clock(follower).fetched(cluster.now(), follower.process().brokerEpoch());
    }

    void leave(Command command) {
        int partition = command.integer("p", 0);
        Copy follower = cluster.process(command.broker(0)).copy(partition);
        int leader = follower.replica().state().leader();
        cluster.process(leader).copy(partition).step(new ReplicaEvent.SessionLeft(clock(follower)));
    }

    void fail(Command command) {
        Copy follower = cluster.process(command.broker(0)).copy(command.integer("p", 0));
        follower.step(new ReplicaEvent.FetchFailed(follower.replica().state().leaderEpoch()));
    }

    /** The leader says where its log starts and ends. */
    void ends(Command command) {
        int partition = command.integer("p", 0);
        Copy follower = cluster.process(command.broker(0)).copy(partition);
        int epoch = command.integer("le", follower.replica().state().leaderEpoch());
        long earliest;
        long latest;
        if (command.has("earliest")) {
            earliest = command.number("earliest", 0);
            latest = command.number("latest", 0);
        } else {
            Copy leader = cluster.process(follower.replica().state().leader()).copy(partition);
            earliest = query(leader, ReplicaEvent.OffsetQuery.Bound.EARLIEST);
            latest = query(leader, ReplicaEvent.OffsetQuery.Bound.LATEST);
        }
        cluster.out().say("ends %d: %d..%d", command.broker(0), earliest, latest);
        follower.step(new ReplicaEvent.LeaderOffsets(epoch, earliest, latest));
    }

    private long query(Copy leader, ReplicaEvent.OffsetQuery.Bound bound) {
        long token = cluster.newToken();
        Effect.OffsetFound found =
                (Effect.OffsetFound) leader.ask(token, new ReplicaEvent.OffsetQuery(token, -1, bound, false));
        return found.offset();
    }
}
