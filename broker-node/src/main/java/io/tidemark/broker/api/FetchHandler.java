package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.broker.replica.FetchSession;
import io.tidemark.broker.replica.FetchSessions;
import io.tidemark.broker.runtime.Counted;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;

/** Fetch of consumers and followers: finds the session of the request and lets a {@link FetchCall} answer it. */
public final class FetchHandler implements ApiHandler {
    private static final long SESSION_CHECK_MS = 60_000;

    private final Supplier<ClusterImage> image;
    private final Partitions partitions;
    private final String interBrokerListener;
    private final int maxBytes;
    private final boolean rackAware;
    private final List<LoopSessions> loops = new ArrayList<>();

    /** The sessions of one loop with the readers behind them. */
    private static final class LoopSessions {
        private final FetchSessions sessions;
        private final Map<FetchSession, SessionReader> readers = new LinkedHashMap<>();

        private LoopSessions(int slots, IntSupplier ids) {
            sessions = new FetchSessions(slots, ids);
        }
    }

    /**
     * @param slots of all loops together, {@code max.incremental.fetch.session.cache.slots}
     * @param maxBytes largest answer to a consumer, whatever it asks ({@code fetch.max.bytes}); one batch is always sent
     * @param rackAware whether a consumer that says where it stands is sent to a replica there (R4.40)
     */
    public FetchHandler(
            Supplier<ClusterImage> image,
            Partitions partitions,
            String interBrokerListener,
            int slots,
            int maxBytes,
            boolean rackAware) {
        this(
                image,
                partitions,
                interBrokerListener,
                slots,
                maxBytes,
                rackAware,
                () -> ThreadLocalRandom.current().nextInt());
    }

    /** @param ids random numbers that sessions are named by; any thread */
    public FetchHandler(
            Supplier<ClusterImage> image,
            Partitions partitions,
            String interBrokerListener,
            int slots,
            int maxBytes,
            boolean rackAware,
            IntSupplier ids) {
        this.image = image;
        this.partitions = partitions;
        this.interBrokerListener = interBrokerListener;
        this.maxBytes = maxBytes;
        this.rackAware = rackAware;
        int count = partitions.loops().size();
        for (PartitionLoop loop : partitions.loops()) {
            LoopSessions sessions = new LoopSessions(Math.max(1, slots / count), ids);
            loops.add(sessions);
            loop.post(() -> checkSessions(loop, sessions));
        }
    }

    @Override
    public void handle(Call call) {
        FetchRequest request = (FetchRequest) call.body();
        PartitionLoop home = partitions.loop(call.loopIndex());
        long now = home.refreshTime().ms();
        boolean follower = request.isFromFollower();
        home.tally().add(Counted.FETCH_REQUESTS, 1);
        ClusterImage current = image.get();
        if (follower) {
            Errors refusal = followerRefusal(request, call.listenerName(), current);
            if (refusal != Errors.NONE) {
                call.respond(failed(refusal));
                return;
            }
        } else {
            request.data().setMaxBytes(Math.min(request.maxBytes(), maxBytes));
        }
        LoopSessions own = loops.get(home.index());
        FetchSessions.Resolved resolved = own.sessions.resolve(
                request.metadata().sessionId(), request.metadata().epoch(), follower, now);
        if (resolved.replaced() != null) {
            close(own, resolved.replaced());
        }
        switch (resolved.outcome()) {
            case ID_NOT_FOUND -> call.respond(failed(Errors.FETCH_SESSION_ID_NOT_FOUND));
            case INVALID_EPOCH -> call.respond(failed(Errors.INVALID_FETCH_SESSION_EPOCH));
            default -> fetch(call, request, home, own, resolved, current, now);
        }
    }

    /** B15: followers come through the inter-broker listener, as the incarnation that is registered. */
    private Errors followerRefusal(FetchRequest request, String listener, ClusterImage current) {
        if (!listener.equals(interBrokerListener)) {
            return Errors.CLUSTER_AUTHORIZATION_FAILED;
        }
        BrokerState broker = current.broker(request.replicaId());
        if (request.replicaEpoch() < 0) {
            return Errors.INVALID_REQUEST;
        }
        // A broker we have not heard of yet is ahead of us in the metadata: its partitions decide.
        return broker != null && broker.epoch() > request.replicaEpoch() ? Errors.NOT_LEADER_OR_FOLLOWER : Errors.NONE;
    }

    private void fetch(
            Call call,
            FetchRequest request,
            PartitionLoop home,
            LoopSessions own,
            FetchSessions.Resolved resolved,
            ClusterImage current,
            long now) {
        FetchSession session = resolved.session();
        SessionReader reader = own.readers.get(session);
        if (reader == null) {
            reader = new SessionReader(home, partitions, session);
            own.readers.put(session, reader);
        }
        if (session.isFollower()) {
            session.clock().fetched(now, request.replicaEpoch());
        }
        FetchAnswer answer = new FetchAnswer(resolved.outcome() != FetchSessions.Outcome.CONTINUED);
        reader.update(rows(request, current, answer), forgotten(request, current));
        Runnable whenDone = () -> {};
        if (resolved.outcome() == FetchSessions.Outcome.SESSIONLESS) {
            whenDone = () -> close(own, session);
        }
        reader.start(new FetchCall(call, request, reader, partitions, answer, rackAware, whenDone), now);
    }

    private static List<FetchSession.Row> rows(FetchRequest request, ClusterImage current, FetchAnswer answer) {
        List<FetchSession.Row> rows = new ArrayList<>();
        TopicNames names = new TopicNames(current);
        for (FetchRequestData.FetchTopic topicRow : request.data().topics()) {
            TopicState topic = names.topic(topicRow.topic(), topicRow.topicId());
            for (FetchRequestData.FetchPartition partition : topicRow.partitions()) {
                if (topic == null) {
                    TopicPartition name = new TopicPartition(topicRow.topic(), partition.partition());
                    answer.refuse(
                            new TopicIdPartition(topicRow.topicId(), name),
                            FetchResponse.partitionResponse(
                                    partition.partition(), TopicNames.unknown(topicRow.topicId())));
                    continue;
                }
                rows.add(new FetchSession.Row(
                        TopicNames.partition(topic, partition.partition()),
                        topic.name(),
                        new FetchSession.Want(
                                partition.fetchOffset(),
                                partition.partitionMaxBytes(),
                                partition.currentLeaderEpoch(),
                                partition.lastFetchedEpoch(),
                                partition.logStartOffset())));
            }
        }
        return rows;
    }

    private static List<PartitionId> forgotten(FetchRequest request, ClusterImage current) {
        List<PartitionId> forgotten = new ArrayList<>();
        for (FetchRequestData.ForgottenTopic row : request.data().forgottenTopicsData()) {
            boolean byId = !row.topicId().equals(Uuid.ZERO_UUID);
            TopicState topic = byId ? null : current.topic(row.topic());
            for (int partition : row.partitions()) {
                if (byId) {
                    forgotten.add(new PartitionId(ClusterView.topicId(row.topicId()), partition));
                } else if (topic != null) {
                    forgotten.add(new PartitionId(topic.id(), partition));
                }
            }
        }
        return forgotten;
    }

    private static void close(LoopSessions own, FetchSession session) {
        SessionReader reader = own.readers.remove(session);
        if (reader != null) {
            reader.close();
        }
    }

    /**
     * Sessions nobody has used for long keep watching their partitions: they go, and a client that returns opens anew. A
     * fetch whose client is gone would wait for as long as the client had asked for.
     */
    private void checkSessions(PartitionLoop loop, LoopSessions own) {
        long now = loop.now().ms();
        for (SessionReader reader : List.copyOf(own.readers.values())) {
            reader.giveUpIfAlone();
            FetchSession session = reader.session();
            if (session.id() != 0 && now - session.lastUsedMs() > FetchSessions.EVICTION_MS) {
                own.sessions.close(session);
                close(own, session);
            }
        }
        loop.at(now + SESSION_CHECK_MS, () -> checkSessions(loop, own));
    }

    /** Of that loop, on it. */
    public ReaderFigures figures(PartitionLoop loop) {
        LoopSessions own = loops.get(loop.index());
        long waiting =
                own.readers.values().stream().filter(SessionReader::waits).count();
        return new ReaderFigures(own.sessions.size(), own.sessions.partitions(), own.sessions.evictions(), waiting);
    }

    private static FetchResponse failed(Errors error) {
        return FetchResponse.of(error, 0, 0, new LinkedHashMap<>(), List.of());
    }
}
