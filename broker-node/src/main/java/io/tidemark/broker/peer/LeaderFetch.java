package io.tidemark.broker.peer;

import io.tidemark.broker.log.BatchHeader;
import io.tidemark.broker.net.LoopHost;
import io.tidemark.broker.replica.FetchPosition;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.model.EpochAndOffset;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.Endpoint;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.apache.kafka.common.requests.ListOffsetsResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches from one leader for all partitions of a loop that follow it: one request at a time in an incremental session
 * (KIP-227), which names only partitions whose position moved. The offset in a request is the acknowledgement, so it is
 * taken when everything appended is written (B22).
 */
final class LeaderFetch {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderFetch.class);
    /** Topics by id, the sender's broker epoch, diverging epochs. */
    private static final short FETCH_VERSION = 17;

    private static final short LIST_OFFSETS_VERSION = 9;
    private static final long FIRST_BACKOFF_MS = 20;
    private static final long MAX_BACKOFF_MS = 500;
    /**
     * How long a fetch waits for partitions that sync what the last answer brought (the first batch of an epoch, R5.24).
     * Without them it would wait at the leader for news of the others, and what they have written would not be
     * acknowledged meanwhile.
     */
    private static final long HOLD_MS = 50;

    private final int leader;
    private final PartitionLoop loop;
    private final LoopHost host;
    private final IntFunction<Endpoint> endpoints;
    private final FollowerFetchers.Settings settings;
    private final Map<PartitionId, PartitionHost> partitions = new LinkedHashMap<>();
    /** What the leader's session knows of us. */
    private final Map<PartitionId, FetchPosition> sent = new HashMap<>();
    /** Partitions whose position may differ from what was sent. */
    private final Set<PartitionHost> moved = new LinkedHashSet<>();

    private final Set<PartitionId> removed = new LinkedHashSet<>();
    private PeerConnection connection;
    private boolean outstanding;
    private boolean closed;
    private int sessionId;
    /** Epoch of the next request; 0 opens a session. */
    private int sessionEpoch;

    private long backoffMs = FIRST_BACKOFF_MS;
    private long notBeforeMs = Long.MIN_VALUE;
    /** End of the wait for paused partitions, 0 while none is awaited; monotonic milliseconds. */
    private long heldUntilMs;

    private boolean reachable = true;

    LeaderFetch(
            int leader,
            PartitionLoop loop,
            LoopHost host,
            IntFunction<Endpoint> endpoints,
            FollowerFetchers.Settings settings) {
        this.leader = leader;
        this.loop = loop;
        this.host = host;
        this.endpoints = endpoints;
        this.settings = settings;
    }

    int leader() {
        return leader;
    }

    void add(PartitionHost partition) {
        partitions.put(partition.id(), partition);
        removed.remove(partition.id());
        sent.remove(partition.id());
        moved.add(partition);
    }

    /** True if nothing is left to fetch from this leader: the connection is closed. */
    boolean remove(PartitionHost partition) {
        partitions.remove(partition.id());
        moved.remove(partition);
        if (sent.remove(partition.id()) != null) {
            removed.add(partition.id());
        }
        if (partitions.isEmpty()) {
            closed = true;
            if (connection != null) {
                connection.close();
            }
        }
        return closed;
    }

    void moved(PartitionHost partition) {
        moved.add(partition);
    }

    void sendIfDue(long nowMs) {
        if (outstanding || closed || nowMs < notBeforeMs || heldBack(nowMs)) {
            return;
        }
        if (sessionEpoch == 0) {
            sent.clear();
            removed.clear();
            moved.addAll(partitions.values());
        }
        Map<TopicId, FetchRequestData.FetchTopic> rows = new LinkedHashMap<>();
        List<FetchRequestData.ForgottenTopic> forgotten = new ArrayList<>();
        for (PartitionHost partition : moved) {
            name(partition, rows, forgotten, nowMs);
        }
        moved.clear();
        removed.forEach(gone -> forget(gone, forgotten));
        removed.clear();
        if (sent.isEmpty() && forgotten.isEmpty() || !connect(nowMs)) {
            return;
        }
        FetchRequestData data = new FetchRequestData()
                .setReplicaState(new FetchRequestData.ReplicaState()
                        .setReplicaId(settings.brokerId())
                        .setReplicaEpoch(settings.brokerEpoch().getAsLong()))
                .setMaxWaitMs(settings.maxWaitMs())
                .setMinBytes(settings.minBytes())
                .setMaxBytes(settings.responseMaxBytes())
                .setIsolationLevel(IsolationLevel.READ_UNCOMMITTED.id())
                .setSessionId(sessionId)
                .setSessionEpoch(sessionEpoch)
                .setTopics(new ArrayList<>(rows.values()))
                .setForgottenTopicsData(forgotten);
        outstanding = true;
        connection.send(new FetchRequest(data, FETCH_VERSION), new Answer());
    }

    private boolean heldBack(long nowMs) {
        boolean paused = false;
        for (PartitionHost partition : moved) {
            paused |= partition.paused();
        }
        if (!paused) {
            heldUntilMs = 0;
            return false;
        }
        if (heldUntilMs == 0) {
            heldUntilMs = nowMs + HOLD_MS;
            loop.at(heldUntilMs, () -> {});
        }
        return nowMs < heldUntilMs;
    }

    private void name(
            PartitionHost partition,
            Map<TopicId, FetchRequestData.FetchTopic> rows,
            List<FetchRequestData.ForgottenTopic> forgotten,
            long nowMs) {
        PartitionId id = partition.id();
        FetchPosition position = partition.fetchPosition();
        if (position == null || position.leader() != leader) {
            if (sent.remove(id) != null) {
                forget(id, forgotten);
            }
            long due = partition.fetchDeadlineMs();
            if (due != Long.MAX_VALUE) {
                loop.at(Math.max(due, nowMs + 1), () -> moved.add(partition));
            }
            return;
        }
        removed.remove(id);
        if (position.equals(sent.put(id, position))) {
            return;
        }
        rows.computeIfAbsent(
                        id.topicId(),
                        topic -> new FetchRequestData.FetchTopic().setTopicId(new Uuid(topic.high(), topic.low())))
                .partitions()
                .add(new FetchRequestData.FetchPartition()
                        .setPartition(id.partition())
                        .setCurrentLeaderEpoch(position.leaderEpoch())
                        .setFetchOffset(position.offset())
                        .setLastFetchedEpoch(position.lastFetchedEpoch())
                        .setLogStartOffset(position.logStart())
                        .setPartitionMaxBytes(settings.partitionMaxBytes()));
    }

    private static void forget(PartitionId id, List<FetchRequestData.ForgottenTopic> forgotten) {
        forgotten.add(new FetchRequestData.ForgottenTopic()
                .setTopicId(new Uuid(id.topicId().high(), id.topicId().low()))
                .setPartitions(List.of(id.partition())));
    }

    private boolean connect(long nowMs) {
        if (connection != null && connection.usable()) {
            return true;
        }
        Endpoint endpoint = endpoints.apply(leader);
        if (endpoint == null) {
            backOff(nowMs);
            return false;
        }
        connection = PeerConnection.open(host, endpoint, settings.peer());
        if (sessionEpoch != 0) {
            startOver();
            backOff(nowMs);
            return false;
        }
        return true;
    }

    /** The next fetch opens a new session and names everything. */
    private void startOver() {
        sessionId = 0;
        sessionEpoch = 0;
    }

    private void backOff(long nowMs) {
        notBeforeMs = nowMs + backoffMs;
        backoffMs = Math.min(MAX_BACKOFF_MS, backoffMs * 2);
        loop.at(notBeforeMs, () -> {});
    }

    private final class Answer implements PeerCallback {
        @Override
        public void answered(PeerResponse response) {
            loop.refreshTime();
            outstanding = false;
            if (closed) {
                return;
            }
            if (!reachable) {
                reachable = true;
                LOG.info("broker {} answers fetches again", leader);
            }
            FetchResponse body = (FetchResponse) response.body();
            if (body.error() != Errors.NONE) {
                startOver();
                if (body.error() != Errors.FETCH_SESSION_ID_NOT_FOUND
                        && body.error() != Errors.INVALID_FETCH_SESSION_EPOCH) {
                    LOG.warn("broker {} refuses to be fetched from: {}", leader, body.error());
                    backOff(loop.now().ms());
                }
                return;
            }
            backoffMs = FIRST_BACKOFF_MS;
            sessionId = body.sessionId();
            sessionEpoch = sessionId == 0 ? 0 : sessionEpoch == Integer.MAX_VALUE ? 1 : sessionEpoch + 1;
            for (FetchResponseData.FetchableTopicResponse topic : body.data().responses()) {
                TopicId topicId = new TopicId(
                        topic.topicId().getMostSignificantBits(),
                        topic.topicId().getLeastSignificantBits());
                for (FetchResponseData.PartitionData row : topic.partitions()) {
                    deliver(new PartitionId(topicId, row.partitionIndex()), row, response);
                }
            }
        }

        @Override
        public void failed(Throwable cause) {
            outstanding = false;
            if (closed) {
                return;
            }
            if (reachable) {
                reachable = false;
                LOG.info("broker {} cannot be fetched from: {}", leader, cause.toString());
            }
            loop.refreshTime();
            startOver();
            backOff(loop.now().ms());
        }
    }

    private void deliver(PartitionId id, FetchResponseData.PartitionData row, PeerResponse response) {
        PartitionHost partition = partitions.get(id);
        FetchPosition asked = sent.get(id);
        if (partition == null || asked == null) {
            return;
        }
        moved.add(partition);
        ReplicaError error = errorOf(row.errorCode());
        EpochAndOffset diverging = row.divergingEpoch().epoch() < 0
                ? EpochAndOffset.UNDEFINED
                : new EpochAndOffset(
                        row.divergingEpoch().epoch(), row.divergingEpoch().endOffset());
        ByteBuffer records = row.records() instanceof MemoryRecords memory ? memory.buffer() : ByteBuffer.allocate(0);
        List<ReplicaEvent.FetchedBatch> batches = new ArrayList<>();
        if (error == ReplicaError.NONE && !batchesOf(records, batches)) {
            LOG.warn("[{}] records fetched from broker {} are damaged", partition.name(), leader);
            error = ReplicaError.OTHER;
            batches.clear();
        }
        if (error != ReplicaError.NONE) {
            // The leader's session drops nothing after an error; the position is named anew once the pause is over.
            sent.remove(id);
            removed.add(id);
        }
        response.retainFrame();
        partition.fetched(
                new ReplicaEvent.FetchAnswered(
                        asked.leaderEpoch(),
                        asked.offset(),
                        error,
                        diverging,
                        row.highWatermark(),
                        row.logStartOffset(),
                        batches),
                records,
                response::releaseFrame);
    }

    /** Reads the headers and checks every checksum again; false if the bytes are not whole, sound batches. */
    private static boolean batchesOf(ByteBuffer records, List<ReplicaEvent.FetchedBatch> batches) {
        int at = records.position();
        while (records.limit() - at >= BatchHeader.SIZE) {
            BatchHeader header = BatchHeader.read(records, at);
            if (!header.isPlausible()) {
                return false;
            }
            if (header.sizeInBytes() > records.limit() - at) {
                // The rest of a batch that did not fit the answer.
                return true;
            }
            if (!BatchHeader.checksumMatches(records, at, header.sizeInBytes())) {
                return false;
            }
            batches.add(new ReplicaEvent.FetchedBatch(
                    header.baseOffset(), header.lastOffset(), header.leaderEpoch(), at, at + header.sizeInBytes()));
            at += header.sizeInBytes();
        }
        return true;
    }

    private static ReplicaError errorOf(short code) {
        Errors error = Errors.forCode(code);
        for (ReplicaError known : ReplicaError.values()) {
            if (known.name().equals(error.name())) {
                return known;
            }
        }
        return ReplicaError.OTHER;
    }

    // ---- the leader's ends (R6.35) ----

    void askOffsets(PartitionHost partition, int leaderEpoch) {
        if (!connect(loop.now().ms())) {
            partition.fetcherEvent(new ReplicaEvent.FetchFailed(leaderEpoch));
            return;
        }
        ask(
                partition,
                leaderEpoch,
                ListOffsetsRequest.LATEST_TIMESTAMP,
                latest -> ask(partition, leaderEpoch, ListOffsetsRequest.EARLIEST_TIMESTAMP, earliest -> {
                    partition.fetcherEvent(new ReplicaEvent.LeaderOffsets(leaderEpoch, earliest, latest));
                    moved.add(partition);
                }));
    }

    private void ask(PartitionHost partition, int leaderEpoch, long timestamp, LongConsumer then) {
        ListOffsetsRequestData data = new ListOffsetsRequestData()
                .setReplicaId(settings.brokerId())
                .setIsolationLevel(IsolationLevel.READ_UNCOMMITTED.id())
                .setTopics(List.of(new ListOffsetsRequestData.ListOffsetsTopic()
                        .setName(partition.name().topic())
                        .setPartitions(List.of(new ListOffsetsRequestData.ListOffsetsPartition()
                                .setPartitionIndex(partition.id().partition())
                                .setCurrentLeaderEpoch(leaderEpoch)
                                .setTimestamp(timestamp)))));
        connection.send(
                ListOffsetsRequest.Builder.forReplica(LIST_OFFSETS_VERSION, settings.brokerId())
                        .setTargetTimes(data.topics())
                        .build(LIST_OFFSETS_VERSION),
                new PeerCallback() {
                    @Override
                    public void answered(PeerResponse response) {
                        loop.refreshTime();
                        ListOffsetsResponseData.ListOffsetsPartitionResponse row = ((ListOffsetsResponse)
                                        response.body())
                                .topics()
                                .get(0)
                                .partitions()
                                .get(0);
                        if (row.errorCode() == Errors.NONE.code()) {
                            then.accept(row.offset());
                        } else {
                            failed(Errors.forCode(row.errorCode()).exception());
                        }
                    }

                    @Override
                    public void failed(Throwable cause) {
                        partition.fetcherEvent(new ReplicaEvent.FetchFailed(leaderEpoch));
                        moved.add(partition);
                    }
                });
    }
}
