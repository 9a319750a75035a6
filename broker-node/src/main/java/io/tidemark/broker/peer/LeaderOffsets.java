package io.tidemark.broker.peer;

import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.apache.kafka.common.requests.ListOffsetsResponse;

/** Asks a leader where its log starts and ends, for a follower whose position it does not have (R6.35). */
record LeaderOffsets(PartitionLoop loop, int brokerId, PeerLink connection, PartitionHost partition, int epoch) {
    private static final short VERSION = 9;

    /** The end first: what lies below a start that was read later was still there when the end was read. */
    void ask() {
        ask(
                ListOffsetsRequest.LATEST_TIMESTAMP,
                latest -> ask(
                        ListOffsetsRequest.EARLIEST_TIMESTAMP,
                        earliest ->
                                partition.fetcher().heard(new ReplicaEvent.LeaderOffsets(epoch, earliest, latest))));
    }

    private void ask(long timestamp, LongConsumer then) {
        ListOffsetsRequestData.ListOffsetsTopic topic = new ListOffsetsRequestData.ListOffsetsTopic()
                .setName(partition.name().topic())
                .setPartitions(List.of(new ListOffsetsRequestData.ListOffsetsPartition()
                        .setPartitionIndex(partition.id().partition())
                        .setCurrentLeaderEpoch(epoch)
                        .setTimestamp(timestamp)));
        ListOffsetsRequestData data = new ListOffsetsRequestData()
                .setReplicaId(brokerId)
                .setIsolationLevel(IsolationLevel.READ_UNCOMMITTED.id())
                .setTopics(List.of(topic));
        connection.send(
                ListOffsetsRequest.Builder.forReplica(VERSION, brokerId)
                        .setTargetTimes(data.topics())
                        .build(VERSION),
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
                        partition.fetcher().heard(new ReplicaEvent.FetchFailed(epoch));
                    }
                });
    }
}
