package io.tidemark.broker.api;

import io.tidemark.broker.log.TimestampLookup;
import io.tidemark.broker.net.Call;
import io.tidemark.broker.replica.Effect;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.TopicState;
import java.util.function.Supplier;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.apache.kafka.common.requests.ListOffsetsResponse;

/** ListOffsets: where a partition starts and ends, and which record has a time or the latest one (R3.22). */
public final class ListOffsetsHandler implements ApiHandler {
    /** From this version on a leader epoch is part of the answer. */
    private static final short LEADER_EPOCH_VERSION = 4;
    /** From this version on clients know OFFSET_NOT_AVAILABLE. */
    private static final short NOT_AVAILABLE_VERSION = 5;

    private final Supplier<ClusterImage> image;
    private final Partitions partitions;

    public ListOffsetsHandler(Supplier<ClusterImage> image, Partitions partitions) {
        this.image = image;
        this.partitions = partitions;
    }

    @Override
    public void handle(Call call) {
        ListOffsetsRequest request = (ListOffsetsRequest) call.body();
        PartitionLoop home = partitions.loop(call.loopIndex());
        home.refreshTime();
        ListOffsetsResponseData response = new ListOffsetsResponseData();
        Gather gather = new Gather(home, () -> call.respond(new ListOffsetsResponse(response)));
        ClusterImage current = image.get();
        for (ListOffsetsRequestData.ListOffsetsTopic topicRow : request.data().topics()) {
            TopicState topic = current.topic(topicRow.name());
            ListOffsetsResponseData.ListOffsetsTopicResponse rows =
                    new ListOffsetsResponseData.ListOffsetsTopicResponse().setName(topicRow.name());
            response.topics().add(rows);
            for (ListOffsetsRequestData.ListOffsetsPartition asked : topicRow.partitions()) {
                Row row = new Row(request, asked, gather);
                rows.partitions().add(row.response);
                if (topic == null) {
                    row.error(TopicNames.unknown(current));
                } else {
                    find(topic, asked, row, gather);
                }
            }
        }
        gather.oneDone();
    }

    private void find(TopicState topic, ListOffsetsRequestData.ListOffsetsPartition asked, Row row, Gather gather) {
        PartitionId id = TopicNames.partition(topic, asked.partitionIndex());
        PartitionLoop loop = partitions.loopOf(id);
        gather.oneMore();
        loop.execute(() -> {
            PartitionHost host = loop.host(id);
            if (host == null) {
                row.done(() -> row.error(TopicNames.notHosted(topic, asked.partitionIndex())));
            } else {
                row.ask(host, loop.nextToken());
            }
        });
    }

    /** One partition of the request. */
    private static final class Row {
        private final ListOffsetsRequest request;
        private final ListOffsetsRequestData.ListOffsetsPartition asked;
        private final Gather gather;
        private final ListOffsetsResponseData.ListOffsetsPartitionResponse response;

        private Row(ListOffsetsRequest request, ListOffsetsRequestData.ListOffsetsPartition asked, Gather gather) {
            this.request = request;
            this.asked = asked;
            this.gather = gather;
            this.response = new ListOffsetsResponseData.ListOffsetsPartitionResponse()
                    .setPartitionIndex(asked.partitionIndex())
                    .setTimestamp(ListOffsetsResponse.UNKNOWN_TIMESTAMP)
                    .setOffset(ListOffsetsResponse.UNKNOWN_OFFSET);
        }

        private boolean fromClient() {
            return request.replicaId() < 0;
        }

        private void ask(PartitionHost host, long token) {
            long timestamp = asked.timestamp();
            ReplicaEvent.OffsetQuery.Bound bound;
            if (timestamp == ListOffsetsRequest.EARLIEST_TIMESTAMP
                    || timestamp == ListOffsetsRequest.EARLIEST_LOCAL_TIMESTAMP) {
                bound = ReplicaEvent.OffsetQuery.Bound.EARLIEST;
            } else if (timestamp == ListOffsetsRequest.LATEST_TIMESTAMP) {
                bound = ReplicaEvent.OffsetQuery.Bound.LATEST;
            } else {
                bound = ReplicaEvent.OffsetQuery.Bound.LOOKUP;
            }
            ReplicaEvent.OffsetQuery query =
                    new ReplicaEvent.OffsetQuery(token, asked.currentLeaderEpoch(), bound, fromClient());
            host.ask(query, (effect, failure) -> {
                if (failure != ReplicaError.NONE) {
                    done(() -> error(ReplicaErrors.onWire(failure)));
                    return;
                }
                Effect.OffsetFound found = (Effect.OffsetFound) effect;
                if (found.error() != ReplicaError.NONE) {
                    done(() -> error(ReplicaErrors.onWire(found.error())));
                } else if (bound != ReplicaEvent.OffsetQuery.Bound.LOOKUP) {
                    done(() -> offset(ListOffsetsResponse.UNKNOWN_TIMESTAMP, found.offset(), found.leaderEpoch()));
                } else {
                    lookUp(host, timestamp, found.offset());
                }
            });
        }

        private void lookUp(PartitionHost host, long timestamp, long limit) {
            boolean markBehind = fromClient() && host.markBehindEpochStart();
            if (timestamp < 0 && timestamp != ListOffsetsRequest.MAX_TIMESTAMP) {
                // Nothing is tiered here: the latest tiered offset does not exist.
                boolean tiered = timestamp == ListOffsetsRequest.LATEST_TIERED_TIMESTAMP;
                done(() -> {
                    if (!tiered) {
                        error(Errors.UNSUPPORTED_VERSION);
                    }
                });
                return;
            }
            host.lookUp(
                    timestamp,
                    limit,
                    (found, failure) -> done(() -> {
                        if (failure != ReplicaError.NONE) {
                            error(ReplicaErrors.onWire(failure));
                        } else if (found.isPresent()) {
                            TimestampLookup.Found record = found.get();
                            offset(record.timestamp(), record.offset(), record.epoch());
                        } else if (markBehind) {
                            // Records up to the old leader's mark may still turn out to match (R3.22).
                            error(Errors.OFFSET_NOT_AVAILABLE);
                        }
                    }));
        }

        private void done(Runnable fill) {
            gather.done(fill);
        }

        private void error(Errors error) {
            boolean known = error != Errors.OFFSET_NOT_AVAILABLE || request.version() >= NOT_AVAILABLE_VERSION;
            response.setErrorCode((known ? error : Errors.LEADER_NOT_AVAILABLE).code());
        }

        private void offset(long timestamp, long offset, int leaderEpoch) {
            response.setTimestamp(timestamp).setOffset(offset);
            if (request.version() >= LEADER_EPOCH_VERSION) {
                response.setLeaderEpoch(leaderEpoch);
            }
        }
    }
}
