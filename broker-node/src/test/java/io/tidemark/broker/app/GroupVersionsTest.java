package io.tidemark.broker.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.TopicState;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FindCoordinatorResponse;
import org.apache.kafka.common.requests.OffsetFetchResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The life of a group in every version of every group API, over a socket: each step has to succeed. */
class GroupVersionsTest {
    private static final String TOPIC = "orders";
    private Socket socket;
    private int correlation;

    @Test
    void aGroupLivesInEveryVersion(@TempDir Path root) throws Exception {
        Map<String, String> config = Map.of(
                "offsets.topic.num.partitions", "2",
                "offsets.topic.replication.factor", "1",
                "group.initial.rebalance.delay.ms", "0");
        try (BrokerCluster cluster = new BrokerCluster(root, 1, 1, 2_000, config)) {
            GroupClients.createTopic(cluster, TOPIC, 1, 1);
            TopicState topic = cluster.image().topic(TOPIC);
            Uuid id = new Uuid(topic.id().high(), topic.id().low());
            Endpoint endpoint = cluster.image().broker(1).endpoints().get(0);
            try (Socket open = new Socket(endpoint.host(), endpoint.port())) {
                socket = open;
                for (short version = 0; version <= ApiKeys.FIND_COORDINATOR.latestVersion(); version++) {
                    find(version);
                }
                for (short version = 0; version <= ApiKeys.OFFSET_COMMIT.latestVersion(); version++) {
                    classicLife(version, id);
                }
                for (short version = 0; version <= ApiKeys.CONSUMER_GROUP_HEARTBEAT.latestVersion(); version++) {
                    consumerLife(version);
                }
            }
        }
    }

    private void find(short version) {
        FindCoordinatorRequestData request = new FindCoordinatorRequestData();
        ApiMessage body = version < 4 ? request.setKey("g") : request.setCoordinatorKeys(List.of("g", "h"));
        Awaitility.await().atMost(BrokerCluster.PATIENCE).until(() -> {
            FindCoordinatorResponse found = (FindCoordinatorResponse) send(ApiKeys.FIND_COORDINATOR, version, body);
            return found.coordinators().stream().allMatch(row -> row.errorCode() == 0 && row.nodeId() == 1);
        });
    }

    /** One group from its first member to its deletion; each API in {@code asked} or the nearest version it has. */
    private void classicLife(short asked, Uuid topicId) throws IOException {
        String group = "classic-" + asked;
        JoinGroupResponseData joined = join(asked, group);
        String member = joined.memberId();

        SyncGroupRequestData sync = new SyncGroupRequestData()
                .setGroupId(group)
                .setGenerationId(joined.generationId())
                .setMemberId(member)
                .setAssignments(List.of(new SyncGroupRequestData.SyncGroupRequestAssignment()
                        .setMemberId(member)
                        .setAssignment(new byte[] {1, 2, 3})));
        if (near(ApiKeys.SYNC_GROUP, asked) >= 5) {
            sync.setProtocolType("consumer").setProtocolName("range");
        }
        SyncGroupResponseData synced = (SyncGroupResponseData) data(ApiKeys.SYNC_GROUP, asked, sync);
        ok(synced.errorCode());
        assertThat(synced.assignment()).containsExactly(1, 2, 3);

        ok(((HeartbeatResponseData) data(
                        ApiKeys.HEARTBEAT,
                        asked,
                        new HeartbeatRequestData()
                                .setGroupId(group)
                                .setGenerationId(joined.generationId())
                                .setMemberId(member)))
                .errorCode());
        commit(asked, group, joined.generationId(), member, topicId);
        fetch(asked, group, topicId);
        describe(asked, group);
        ListGroupsResponseData listed =
                (ListGroupsResponseData) data(ApiKeys.LIST_GROUPS, asked, new ListGroupsRequestData());
        assertThat(listed.groups()).extracting(row -> row.groupId()).contains(group);
        leave(asked, group, member);
        forget(asked, group);
    }

    private JoinGroupResponseData join(short asked, String group) throws IOException {
        JoinGroupRequestData request = new JoinGroupRequestData()
                .setGroupId(group)
                .setMemberId("")
                .setSessionTimeoutMs(30_000)
                .setRebalanceTimeoutMs(30_000)
                .setProtocolType("consumer")
                .setProtocols(new JoinGroupRequestData.JoinGroupRequestProtocolCollection(
                        List.of(new JoinGroupRequestData.JoinGroupRequestProtocol()
                                        .setName("range")
                                        .setMetadata(new byte[] {9}))
                                .iterator()));
        JoinGroupResponseData joined = (JoinGroupResponseData) data(ApiKeys.JOIN_GROUP, asked, request);
        if (joined.errorCode() == Errors.MEMBER_ID_REQUIRED.code()) {
            assertThat(near(ApiKeys.JOIN_GROUP, asked)).isGreaterThanOrEqualTo((short) 4);
            joined = (JoinGroupResponseData) data(ApiKeys.JOIN_GROUP, asked, request.setMemberId(joined.memberId()));
        }
        ok(joined.errorCode());
        assertThat(joined.leader()).isEqualTo(joined.memberId());
        assertThat(joined.members().get(0).metadata()).containsExactly(9);
        return joined;
    }

    private void commit(short asked, String group, int generation, String member, Uuid topicId) throws IOException {
        short version = near(ApiKeys.OFFSET_COMMIT, asked);
        OffsetCommitRequestData.OffsetCommitRequestTopic topic = new OffsetCommitRequestData.OffsetCommitRequestTopic()
                .setPartitions(List.of(new OffsetCommitRequestData.OffsetCommitRequestPartition()
                        .setPartitionIndex(0)
                        .setCommittedOffset(42)
                        .setCommittedLeaderEpoch(version < 6 ? -1 : 3)
                        .setCommittedMetadata("note")));
        OffsetCommitResponseData committed = (OffsetCommitResponseData) data(
                ApiKeys.OFFSET_COMMIT,
                asked,
                new OffsetCommitRequestData()
                        .setGroupId(group)
                        .setGenerationIdOrMemberEpoch(generation)
                        .setMemberId(member)
                        .setTopics(List.of(version < 10 ? topic.setName(TOPIC) : topic.setTopicId(topicId))));
        ok(committed.topics().get(0).partitions().get(0).errorCode());
        assertThat(committed.topics().get(0).name()).isEqualTo(version < 10 ? TOPIC : "");
        assertThat(committed.topics().get(0).topicId()).isEqualTo(version < 10 ? Uuid.ZERO_UUID : topicId);
    }

    private void fetch(short asked, String group, Uuid topicId) throws IOException {
        short version = near(ApiKeys.OFFSET_FETCH, asked);
        OffsetFetchRequestData request = new OffsetFetchRequestData();
        if (version < 8) {
            request.setGroupId(group)
                    .setTopics(List.of(new OffsetFetchRequestData.OffsetFetchRequestTopic()
                            .setName(TOPIC)
                            .setPartitionIndexes(List.of(0))));
        } else {
            OffsetFetchRequestData.OffsetFetchRequestTopics topic =
                    new OffsetFetchRequestData.OffsetFetchRequestTopics().setPartitionIndexes(List.of(0));
            request.setGroups(List.of(new OffsetFetchRequestData.OffsetFetchRequestGroup()
                    .setGroupId(group)
                    .setTopics(List.of(version < 10 ? topic.setName(TOPIC) : topic.setTopicId(topicId)))));
        }
        OffsetFetchResponse response = (OffsetFetchResponse) send(ApiKeys.OFFSET_FETCH, version, request);
        short expectedEpoch = (short) (version < 5 || near(ApiKeys.OFFSET_COMMIT, asked) < 6 ? -1 : 3);
        if (version < 8) {
            var row = response.data().topics().get(0).partitions().get(0);
            ok(row.errorCode());
            assertThat(row.committedOffset()).isEqualTo(42);
            assertThat(row.metadata()).isEqualTo("note");
            assertThat(row.committedLeaderEpoch()).isEqualTo(expectedEpoch);
        } else {
            var topic = response.data().groups().get(0).topics().get(0);
            assertThat(topic.topicId()).isEqualTo(version < 10 ? Uuid.ZERO_UUID : topicId);
            assertThat(topic.partitions().get(0).committedOffset()).isEqualTo(42);
            assertThat(topic.partitions().get(0).committedLeaderEpoch()).isEqualTo(expectedEpoch);
        }
    }

    private void describe(short asked, String group) throws IOException {
        DescribeGroupsResponseData described = (DescribeGroupsResponseData) data(
                ApiKeys.DESCRIBE_GROUPS,
                asked,
                new DescribeGroupsRequestData()
                        .setGroups(List.of(group))
                        .setIncludeAuthorizedOperations(near(ApiKeys.DESCRIBE_GROUPS, asked) >= 3));
        ok(described.groups().get(0).errorCode());
        assertThat(described.groups().get(0).groupState()).isEqualTo("Stable");
        assertThat(described.groups().get(0).members()).hasSize(1);
    }

    private void leave(short asked, String group, String member) throws IOException {
        LeaveGroupRequestData leave = new LeaveGroupRequestData().setGroupId(group);
        if (near(ApiKeys.LEAVE_GROUP, asked) < 3) {
            leave.setMemberId(member);
        } else {
            leave.setMembers(List.of(new LeaveGroupRequestData.MemberIdentity().setMemberId(member)));
        }
        LeaveGroupResponseData left = (LeaveGroupResponseData) data(ApiKeys.LEAVE_GROUP, asked, leave);
        ok(left.errorCode());
        left.members().forEach(row -> ok(row.errorCode()));
    }

    private void forget(short asked, String group) throws IOException {
        OffsetDeleteRequestData.OffsetDeleteRequestTopicCollection topics =
                new OffsetDeleteRequestData.OffsetDeleteRequestTopicCollection();
        topics.add(new OffsetDeleteRequestData.OffsetDeleteRequestTopic()
                .setName(TOPIC)
                .setPartitions(List.of(
                        new OffsetDeleteRequestData.OffsetDeleteRequestPartition().setPartitionIndex(0),
                        new OffsetDeleteRequestData.OffsetDeleteRequestPartition().setPartitionIndex(7))));
        OffsetDeleteResponseData deleted = (OffsetDeleteResponseData) data(
                ApiKeys.OFFSET_DELETE,
                asked,
                new OffsetDeleteRequestData().setGroupId(group).setTopics(topics));
        ok(deleted.errorCode());
        ok(deleted.topics().find(TOPIC).partitions().find(0).errorCode());
        assertThat(deleted.topics().find(TOPIC).partitions().find(7).errorCode())
                .isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        DeleteGroupsResponseData gone = (DeleteGroupsResponseData)
                data(ApiKeys.DELETE_GROUPS, asked, new DeleteGroupsRequestData().setGroupsNames(List.of(group)));
        ok(gone.results().find(group).errorCode());
    }

    private void consumerLife(short version) throws IOException {
        String group = "consumer-" + version;
        ConsumerGroupHeartbeatResponseData joined = (ConsumerGroupHeartbeatResponseData) data(
                ApiKeys.CONSUMER_GROUP_HEARTBEAT,
                version,
                new ConsumerGroupHeartbeatRequestData()
                        .setGroupId(group)
                        .setMemberId(version == 0 ? "" : Uuid.randomUuid().toString())
                        .setRebalanceTimeoutMs(30_000)
                        .setSubscribedTopicNames(List.of(TOPIC))
                        .setTopicPartitions(List.of()));
        ok(joined.errorCode());
        assertThat(joined.memberId()).isNotEmpty();
        ConsumerGroupDescribeResponseData described = (ConsumerGroupDescribeResponseData) data(
                ApiKeys.CONSUMER_GROUP_DESCRIBE,
                version,
                new ConsumerGroupDescribeRequestData()
                        .setGroupIds(List.of(group))
                        .setIncludeAuthorizedOperations(true));
        ok(described.groups().get(0).errorCode());
        assertThat(described.groups().get(0).members()).hasSize(1);
        ok(((ConsumerGroupHeartbeatResponseData) data(
                        ApiKeys.CONSUMER_GROUP_HEARTBEAT,
                        version,
                        new ConsumerGroupHeartbeatRequestData()
                                .setGroupId(group)
                                .setMemberId(joined.memberId())
                                .setMemberEpoch(-1)))
                .errorCode());
    }

    private static void ok(short code) {
        assertThat(Errors.forCode(code)).isEqualTo(Errors.NONE);
    }

    private static short near(ApiKeys key, short asked) {
        return (short) Math.max(key.oldestVersion(), Math.min(asked, key.latestVersion()));
    }

    private ApiMessage data(ApiKeys key, short asked, ApiMessage body) throws IOException {
        return send(key, near(key, asked), body).data();
    }

    private AbstractResponse send(ApiKeys key, short version, ApiMessage body) throws IOException {
        RequestHeader header = new RequestHeader(key, version, "tester", ++correlation);
        ByteBufferAccessor head = MessageUtil.toByteBufferAccessor(header.data(), header.headerVersion());
        ByteBufferAccessor tail = MessageUtil.toByteBufferAccessor(body, version);
        ByteBuffer frame = ByteBuffer.allocate(4 + head.remaining() + tail.remaining());
        frame.putInt(head.remaining() + tail.remaining()).put(head.buffer()).put(tail.buffer());
        socket.getOutputStream().write(frame.array());
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] answer = new byte[in.readInt()];
        in.readFully(answer);
        return AbstractResponse.parseResponse(ByteBuffer.wrap(answer), header);
    }
}
