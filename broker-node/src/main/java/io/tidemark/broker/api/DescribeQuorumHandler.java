package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.broker.runtime.QuorumMembership;
import io.tidemark.model.config.HostPort;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumQuery.Member;
import io.tidemark.model.metadata.QuorumQuery.MembersAnswer;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.DescribeQuorumResponseData;
import org.apache.kafka.common.message.DescribeQuorumResponseData.Listener;
import org.apache.kafka.common.message.DescribeQuorumResponseData.ListenerCollection;
import org.apache.kafka.common.message.DescribeQuorumResponseData.Node;
import org.apache.kafka.common.message.DescribeQuorumResponseData.NodeCollection;
import org.apache.kafka.common.message.DescribeQuorumResponseData.PartitionData;
import org.apache.kafka.common.message.DescribeQuorumResponseData.ReplicaState;
import org.apache.kafka.common.message.DescribeQuorumResponseData.TopicData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DescribeQuorumRequest;
import org.apache.kafka.common.requests.DescribeQuorumResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * DescribeQuorum, at any broker: the metadata log as partition 0 of Kafka's metadata topic. Its offsets are the log's
 * indices, so ends and the high watermark are one more than the last index; its epoch is the term (R7.92). Controllers
 * show no directory ids: nobody but themselves knows them.
 */
final class DescribeQuorumHandler implements ApiHandler {
    private static final Logger LOG = LoggerFactory.getLogger(DescribeQuorumHandler.class);

    /** The controllers have one listener, which Kafka's tools print with a name. */
    private static final String LISTENER = "CONTROLLER";

    private final Supplier<ClusterImage> image;
    private final QuorumMembership quorum;

    DescribeQuorumHandler(Supplier<ClusterImage> image, QuorumMembership quorum) {
        this.image = image;
        this.quorum = quorum;
    }

    @Override
    public void handle(Call call) {
        DescribeQuorumRequestData request = ((DescribeQuorumRequest) call.body()).data();
        if (!asksForTheMetadata(request)) {
            call.respond(new DescribeQuorumResponse(
                    DescribeQuorumRequest.getPartitionLevelErrorResponse(request, Errors.UNKNOWN_TOPIC_OR_PARTITION)));
            return;
        }
        short version = call.header().apiVersion();
        quorum.members().whenComplete((members, failure) -> {
            if (failure != null) {
                LOG.info("the members of the quorum are not known: {}", failure.toString());
            }
            call.respond(new DescribeQuorumResponse(
                    failure == null
                            ? answer(members, version)
                            : DescribeQuorumRequest.getTopLevelErrorResponse(Errors.REQUEST_TIMED_OUT)));
        });
    }

    private static boolean asksForTheMetadata(DescribeQuorumRequestData request) {
        return request.topics().size() == 1
                && request.topics().get(0).topicName().equals(Topic.CLUSTER_METADATA_TOPIC_NAME)
                && request.topics().get(0).partitions().size() == 1
                && request.topics().get(0).partitions().get(0).partitionIndex() == 0;
    }

    private DescribeQuorumResponseData answer(MembersAnswer members, short version) {
        PartitionData partition = new PartitionData()
                .setPartitionIndex(0)
                .setLeaderId(members.leaderId())
                .setLeaderEpoch((int) Math.min(Integer.MAX_VALUE, members.term()))
                .setHighWatermark(members.commitIndex() + 1)
                .setCurrentVoters(states(members.voters(), version))
                .setObservers(states(members.followers(), version));
        DescribeQuorumResponseData response = new DescribeQuorumResponseData()
                .setTopics(List.of(new TopicData()
                        .setTopicName(Topic.CLUSTER_METADATA_TOPIC_NAME)
                        .setPartitions(List.of(partition))));
        return version >= 2 ? response.setNodes(nodes(members.voters())) : response;
    }

    private List<ReplicaState> states(List<Member> members, short version) {
        return members.stream()
                .map(member -> new ReplicaState()
                        .setReplicaId(member.id())
                        .setReplicaDirectoryId(version >= 2 ? directory(member) : Uuid.ZERO_UUID)
                        .setLogEndOffset(member.seenMs() < 0 ? -1 : member.endIndex() + 1)
                        .setLastFetchTimestamp(member.seenMs())
                        .setLastCaughtUpTimestamp(member.caughtUpMs()))
                .toList();
    }

    private Uuid directory(Member member) {
        BrokerState broker = member.address().isEmpty() ? image.get().broker(member.id()) : null;
        if (broker == null || broker.directoryIds().isEmpty()) {
            return Uuid.ZERO_UUID;
        }
        try {
            return Uuid.fromString(broker.directoryIds().get(0));
        } catch (IllegalArgumentException e) {
            return Uuid.ZERO_UUID;
        }
    }

    private static NodeCollection nodes(List<Member> voters) {
        NodeCollection nodes = new NodeCollection();
        for (Member voter : voters) {
            HostPort address = HostPort.parse(voter.address());
            ListenerCollection listeners = new ListenerCollection();
            listeners.add(
                    new Listener().setName(LISTENER).setHost(address.host()).setPort(address.port()));
            nodes.add(new Node().setNodeId(voter.id()).setListeners(listeners));
        }
        return nodes;
    }
}
