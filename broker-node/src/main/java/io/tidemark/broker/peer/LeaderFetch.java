package io.tidemark.broker.peer;

import io.tidemark.broker.log.BatchHeader;
import io.tidemark.broker.replica.FetchPosition;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.broker.runtime.FetchedFrom;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.ReplicationQuota;
import io.tidemark.model.EpochAndOffset;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.Endpoint;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches from one leader for all partitions of a loop that follow it, in an incremental session (KIP-227) whose requests
 * name only partitions whose position moved. The offset in a request is the acknowledgement, so it is taken when
 * everything appended is written (B22).
 *
 * <p>One request at a time, but for one case: while it waits at the leader, another partition gets a position to tell (it
 * has just begun to follow, or has synced the first batch of an epoch, R5.24). That is told at once by a second request,
 * which makes the leader answer the first; else what this partition has written would not be acknowledged meanwhile.
 */
final class LeaderFetch {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderFetch.class);
    /** Topics by id, the sender's broker epoch, diverging epochs. */
    private static final short FETCH_VERSION = 17;

    private static final long FIRST_BACKOFF_MS = 20;
    private static final long MAX_BACKOFF_MS = 500;

    private final int leader;
    private final PartitionLoop loop;
    private final Function<Endpoint, PeerLink> links;
    private final IntFunction<Endpoint> endpoints;
    private final FollowerFetchers.Settings settings;
    private final Map<PartitionId, PartitionHost> partitions = new LinkedHashMap<>();
    private final LeaderSession session = new LeaderSession();
    /** Partitions whose position may differ from what was sent. */
    private final Set<PartitionHost> moved = new LinkedHashSet<>();

    private PeerLink connection;
    /** Requests without an answer so far, at most two. */
    private int inFlight;

    private boolean closed;
    private long backoffMs = FIRST_BACKOFF_MS;
    private long notBeforeMs = Long.MIN_VALUE;
    private boolean reachable = true;
    private long requests;
    private long bytes;

    LeaderFetch(
            int leader,
            PartitionLoop loop,
            Function<Endpoint, PeerLink> links,
            IntFunction<Endpoint> endpoints,
            FollowerFetchers.Settings settings) {
        this.leader = leader;
        this.loop = loop;
        this.links = links;
        this.endpoints = endpoints;
        this.settings = settings;
    }

    int leader() {
        return leader;
    }

    FetchedFrom fetched() {
        Endpoint endpoint = endpoints.apply(leader);
        return new FetchedFrom(
                leader,
                endpoint == null ? "" : endpoint.host(),
                endpoint == null ? -1 : endpoint.port(),
                requests,
                bytes);
    }

    void add(PartitionHost partition) {
        partitions.put(partition.id(), partition);
        moved.add(partition);
    }

    /** True if nothing is left to fetch from this leader: the connection is closed. */
    boolean remove(PartitionHost partition) {
        partitions.remove(partition.id());
        moved.remove(partition);
        session.leave(partition.id());
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
        if (closed || nowMs < notBeforeMs || inFlight > 0 && !secondIsDue()) {
            return;
        }
        if (session.epoch() == 0) {
            session.startOver();
            moved.addAll(partitions.values());
        }
        Map<TopicId, FetchRequestData.FetchTopic> rows = new LinkedHashMap<>();
        for (PartitionHost partition : moved) {
            name(partition, rows, nowMs);
        }
        moved.clear();
        List<FetchRequestData.ForgottenTopic> forgotten = new ArrayList<>();
        session.takeLeaving().forEach(gone -> forgotten.add(forgotten(gone)));
        if (session.isEmpty() && forgotten.isEmpty() || !connect(nowMs)) {
            return;
        }
        FetchRequestData data = new FetchRequestData()
                .setReplicaState(new FetchRequestData.ReplicaState()
                        .setReplicaId(settings.brokerId())
                        .setReplicaEpoch(settings.brokerEpoch().getAsLong()))
                .setMaxWaitMs(session.maxWaitMs(settings.maxWaitMs()))
                .setMinBytes(settings.minBytes())
                .setMaxBytes(settings.responseMaxBytes())
                .setIsolationLevel(IsolationLevel.READ_UNCOMMITTED.id())
                .setSessionId(session.id())
                .setSessionEpoch(session.epoch())
                .setTopics(new ArrayList<>(rows.values()))
                .setForgottenTopicsData(forgotten);
        session.sent();
        inFlight++;
        requests++;
        connection.send(new FetchRequest(data, FETCH_VERSION), new Answer(session.generation()));
    }

    private boolean secondIsDue() {
        if (inFlight > 1 || !session.established()) {
            return false;
        }
        for (PartitionHost partition : moved) {
            FetchPosition position = partition.fetcher().position();
            if (position != null && position.leader() == leader && !session.knows(partition.id(), position)) {
                return true;
            }
        }
        return false;
    }

    private void name(PartitionHost partition, Map<TopicId, FetchRequestData.FetchTopic> rows, long nowMs) {
        PartitionId id = partition.id();
        FetchPosition position = partition.fetcher().position();
        if (position == null || position.leader() != leader) {
            session.leave(id);
            long due = partition.fetcher().deadlineMs();
            if (due != Long.MAX_VALUE) {
                loop.at(Math.max(due, nowMs + 1), () -> moved.add(partition));
            }
            return;
        }
        if (session.knows(id, position)) {
            return;
        }
        ReplicationQuota quota = partition.fetcher().quota();
        if (quota != null && !quota.open(nowMs)) {
            session.leave(id);
            loop.at(quota.askAgainMs(nowMs), () -> moved.add(partition));
            return;
        }
        session.tell(id, position, inFlight > 0);
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

    private static FetchRequestData.ForgottenTopic forgotten(PartitionId id) {
        return new FetchRequestData.ForgottenTopic()
                .setTopicId(new Uuid(id.topicId().high(), id.topicId().low()))
                .setPartitions(List.of(id.partition()));
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
        connection = links.apply(endpoint);
        if (session.epoch() != 0) {
            session.startOver();
            backOff(nowMs);
            return false;
        }
        return true;
    }

    private void backOff(long nowMs) {
        notBeforeMs = nowMs + backoffMs;
        backoffMs = Math.min(MAX_BACKOFF_MS, backoffMs * 2);
        loop.at(notBeforeMs, () -> {});
    }

    private final class Answer implements PeerCallback {
        private final int generation;

        private Answer(int generation) {
            this.generation = generation;
        }

        @Override
        public void answered(PeerResponse response) {
            loop.refreshTime();
            inFlight--;
            if (closed || generation != session.generation()) {
                return;
            }
            if (!reachable) {
                reachable = true;
                LOG.info("broker {} answers fetches again", leader);
            }
            FetchResponse body = (FetchResponse) response.body();
            if (body.error() != Errors.NONE) {
                session.startOver();
                if (body.error() != Errors.FETCH_SESSION_ID_NOT_FOUND
                        && body.error() != Errors.INVALID_FETCH_SESSION_EPOCH) {
                    LOG.warn("broker {} refuses to be fetched from: {}", leader, body.error());
                    backOff(loop.now().ms());
                }
                return;
            }
            backoffMs = FIRST_BACKOFF_MS;
            for (FetchResponseData.FetchableTopicResponse topic : body.data().responses()) {
                TopicId topicId = new TopicId(
                        topic.topicId().getMostSignificantBits(),
                        topic.topicId().getLeastSignificantBits());
                for (FetchResponseData.PartitionData row : topic.partitions()) {
                    deliver(new PartitionId(topicId, row.partitionIndex()), row, response);
                }
            }
            session.answered(body.sessionId());
        }

        @Override
        public void failed(Throwable cause) {
            inFlight--;
            if (closed || generation != session.generation()) {
                return;
            }
            if (reachable) {
                reachable = false;
                LOG.info("broker {} cannot be fetched from: {}", leader, cause.toString());
            }
            loop.refreshTime();
            session.startOver();
            backOff(loop.now().ms());
        }
    }

    private void deliver(PartitionId id, FetchResponseData.PartitionData row, PeerResponse response) {
        PartitionHost partition = partitions.get(id);
        FetchPosition asked = session.asked(id);
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
            session.leave(id);
        }
        ReplicationQuota quota = partition.fetcher().quota();
        if (quota != null) {
            quota.moved(records.remaining(), loop.now().ms());
        }
        bytes += records.remaining();
        response.retainFrame();
        partition
                .fetcher()
                .fetched(
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
        return code == Errors.NONE.code()
                ? ReplicaError.NONE
                : Arrays.stream(ReplicaError.values())
                        .filter(known ->
                                known.name().equals(Errors.forCode(code).name()))
                        .findFirst()
                        .orElse(ReplicaError.OTHER);
    }

    /** R6.35; the outcome goes to the partition. */
    void askOffsets(PartitionHost partition, int leaderEpoch) {
        if (connect(loop.now().ms())) {
            new LeaderOffsets(loop, settings.brokerId(), connection, partition, leaderEpoch).ask();
        } else {
            partition.fetcher().heard(new ReplicaEvent.FetchFailed(leaderEpoch));
        }
    }
}
