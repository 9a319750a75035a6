package io.tidemark.broker.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.group.GroupSettings;
import io.tidemark.broker.group.Groups;
import io.tidemark.broker.log.LogSettings;
import io.tidemark.broker.runtime.MonoClock;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.broker.runtime.TopicSettings;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FindCoordinatorResponse;
import org.apache.kafka.common.requests.ListGroupsResponse;
import org.apache.kafka.common.requests.OffsetCommitResponse;
import org.apache.kafka.common.requests.OffsetFetchResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Group APIs while the coordinator is not there or still loads: its partitions' loop does not run in these tests. */
class GroupApisTest {
    private static final TopicId TOPIC = new TopicId(5, 6);
    private static final TopicId OFFSETS = new TopicId(7, 8);
    private static final Uuid MISSING = new Uuid(1, 99);

    private FakeQuorum quorum;
    private Groups groups;
    private ApiDispatcher apis;

    @BeforeEach
    void broker() {
        quorum = new FakeQuorum();
        quorum.register(1, "rack", new Endpoint(TestBroker.LISTENER, "one", 1001));
        quorum.apply(
                new MetadataRecord.TopicCreated("t", TOPIC),
                new MetadataRecord.PartitionCreated(
                        PartitionState.created(new PartitionId(TOPIC, 0), List.of(1), List.of(1), 1)));
        PartitionLoop loop = new PartitionLoop(0, 1, MonoClock.SYSTEM, null);
        groups = new Groups(
                1,
                new GroupSettings(Map.of("offsets.topic.num.partitions", "3", "offsets.topic.replication.factor", "2")),
                TopicSettings.defaults(LogSettings.DEFAULTS),
                quorum,
                new Partitions(List.of(loop)),
                quorum);
        apis = GroupApis.register(new ApiDispatcher.Builder(), quorum, 1, groups)
                .build();
    }

    @AfterEach
    void close() {
        groups.close();
    }

    private void loadForever() {
        quorum.apply(
                new MetadataRecord.TopicCreated("__consumer_offsets", OFFSETS),
                new MetadataRecord.PartitionCreated(
                        PartitionState.created(new PartitionId(OFFSETS, 0), List.of(1), List.of(1), 1)));
        groups.published(quorum.get());
    }

    @Test
    void everyAnswerOfALoadingCoordinatorCanBeWritten() throws Exception {
        loadForever();
        everyAnswerCanBeWritten();
    }

    @Test
    void everyAnswerWithoutACoordinatorCanBeWritten() throws Exception {
        everyAnswerCanBeWritten();
    }

    private void everyAnswerCanBeWritten() throws Exception {
        int tried = 0;
        for (ApiKeys key : apis.apis()) {
            for (short version = key.oldestVersion();
                    key != ApiKeys.API_VERSIONS && version <= key.latestVersion(false);
                    version++) {
                AbstractResponse response = answer(key, version, body(key, version));
                MessageUtil.toByteBufferAccessor(response.data(), version);
                tried++;
            }
        }
        assertThat(tried).isGreaterThan(60);
    }

    private static Message body(ApiKeys key, short version) {
        return switch (key) {
            case FIND_COORDINATOR -> find(version, (byte) 0, "g");
            case JOIN_GROUP ->
                new JoinGroupRequestData()
                        .setGroupId("g")
                        .setSessionTimeoutMs(10_000)
                        .setProtocolType("consumer")
                        .setProtocols(new JoinGroupRequestData.JoinGroupRequestProtocolCollection(
                                List.of(new JoinGroupRequestData.JoinGroupRequestProtocol()
                                                .setName("range")
                                                .setMetadata(new byte[0]))
                                        .iterator()));
            case SYNC_GROUP -> {
                SyncGroupRequestData sync =
                        new SyncGroupRequestData().setGroupId("g").setMemberId("m");
                yield version < 5 ? sync : sync.setProtocolType("consumer").setProtocolName("range");
            }
            case HEARTBEAT -> new HeartbeatRequestData().setGroupId("g").setMemberId("m");
            case LEAVE_GROUP ->
                version < 3
                        ? new LeaveGroupRequestData().setGroupId("g").setMemberId("m")
                        : new LeaveGroupRequestData()
                                .setGroupId("g")
                                .setMembers(List.of(new LeaveGroupRequestData.MemberIdentity().setMemberId("m")));
            case OFFSET_COMMIT -> commit(version);
            case OFFSET_FETCH -> fetch(version);
            case OFFSET_DELETE -> new OffsetDeleteRequestData().setGroupId("g");
            case CONSUMER_GROUP_HEARTBEAT ->
                new ConsumerGroupHeartbeatRequestData()
                        .setGroupId("g")
                        .setMemberId("m")
                        .setRebalanceTimeoutMs(1000)
                        .setSubscribedTopicNames(List.of("t"))
                        .setTopicPartitions(List.of());
            case CONSUMER_GROUP_DESCRIBE -> new ConsumerGroupDescribeRequestData().setGroupIds(List.of("g"));
            case DESCRIBE_GROUPS -> new DescribeGroupsRequestData().setGroups(List.of("g"));
            case LIST_GROUPS -> new ListGroupsRequestData();
            case DELETE_GROUPS -> new DeleteGroupsRequestData().setGroupsNames(List.of("g"));
            default -> throw new AssertionError("no request of " + key + " is tried");
        };
    }

    private static Message find(short version, byte type, String key) {
        FindCoordinatorRequestData request = new FindCoordinatorRequestData().setKeyType(type);
        return version < 4 ? request.setKey(key) : request.setCoordinatorKeys(List.of(key, "other"));
    }

    private static OffsetCommitRequestData commit(short version) {
        OffsetCommitRequestData request = new OffsetCommitRequestData().setGroupId("g");
        for (boolean known : new boolean[] {true, false}) {
            OffsetCommitRequestData.OffsetCommitRequestTopic topic =
                    new OffsetCommitRequestData.OffsetCommitRequestTopic();
            if (version < 10) {
                topic.setName(known ? "t" : "missing");
            } else {
                topic.setTopicId(known ? ClusterView.uuid(TOPIC) : MISSING);
            }
            for (int partition : new int[] {0, 9}) {
                topic.partitions()
                        .add(new OffsetCommitRequestData.OffsetCommitRequestPartition()
                                .setPartitionIndex(partition)
                                .setCommittedMetadata(""));
            }
            request.topics().add(topic);
        }
        return request;
    }

    private static OffsetFetchRequestData fetch(short version) {
        if (version < 8) {
            return new OffsetFetchRequestData()
                    .setGroupId("g")
                    .setTopics(List.of(new OffsetFetchRequestData.OffsetFetchRequestTopic()
                            .setName("t")
                            .setPartitionIndexes(List.of(0))));
        }
        List<OffsetFetchRequestData.OffsetFetchRequestTopics> topics = new ArrayList<>();
        topics.add(
                version < 10
                        ? new OffsetFetchRequestData.OffsetFetchRequestTopics().setName("t")
                        : new OffsetFetchRequestData.OffsetFetchRequestTopics().setTopicId(ClusterView.uuid(TOPIC)));
        topics.get(0).setPartitionIndexes(List.of(0));
        return new OffsetFetchRequestData()
                .setGroups(List.of(
                        new OffsetFetchRequestData.OffsetFetchRequestGroup()
                                .setGroupId("g")
                                .setTopics(topics),
                        new OffsetFetchRequestData.OffsetFetchRequestGroup()
                                .setGroupId("all")
                                .setTopics(null)));
    }

    private AbstractResponse answer(ApiKeys key, short version, Message body) throws Exception {
        ByteBufferAccessor bytes = MessageUtil.toByteBufferAccessor(body, version);
        FakeCall call = new FakeCall(AbstractRequest.parseRequest(key, version, bytes).request);
        apis.handle(call);
        return call.answer.get(10, TimeUnit.SECONDS);
    }

    @Test
    void whileOffsetsAreLoadedTheAnswerIsNotThatThereAreNone() throws Exception {
        loadForever();
        OffsetFetchResponse old = (OffsetFetchResponse) answer(ApiKeys.OFFSET_FETCH, (short) 1, fetch((short) 1));
        assertThat(old.data().topics().get(0).partitions().get(0).errorCode())
                .isEqualTo(Errors.COORDINATOR_LOAD_IN_PROGRESS.code());
        for (short version = 8; version <= 10; version++) {
            OffsetFetchResponse fetched = (OffsetFetchResponse) answer(ApiKeys.OFFSET_FETCH, version, fetch(version));
            assertThat(fetched.data().groups())
                    .hasSize(2)
                    .extracting(OffsetFetchResponseGroup::errorCode)
                    .containsOnly(Errors.COORDINATOR_LOAD_IN_PROGRESS.code());
        }
    }

    @Test
    void offsetsOfWhatDoesNotExistAreRefusedEachForItself() throws Exception {
        loadForever();
        for (short version = 2; version <= 10; version++) {
            OffsetCommitResponse response =
                    (OffsetCommitResponse) answer(ApiKeys.OFFSET_COMMIT, version, commit(version));
            List<Short> codes = new ArrayList<>();
            response.data().topics().forEach(topic -> topic.partitions().forEach(row -> codes.add(row.errorCode())));
            short unknown = version < 10 ? Errors.UNKNOWN_TOPIC_OR_PARTITION.code() : Errors.UNKNOWN_TOPIC_ID.code();
            assertThat(codes)
                    .containsExactlyInAnyOrder(
                            Errors.COORDINATOR_LOAD_IN_PROGRESS.code(),
                            Errors.UNKNOWN_TOPIC_OR_PARTITION.code(),
                            unknown,
                            unknown);
        }
    }

    @Test
    void theCoordinatorIsTheLeaderOfTheGroupsPartition() throws Exception {
        loadForever();
        for (short version = 0; version <= 6; version++) {
            Coordinator found = findCoordinator(version, (byte) 0);
            assertThat(found.errorCode()).isEqualTo(Errors.NONE.code());
            assertThat(found.nodeId()).isEqualTo(1);
            assertThat(found.host()).isEqualTo("one");
            assertThat(found.port()).isEqualTo(1001);
        }
        assertThat(findCoordinator((short) 6, (byte) 1).errorCode()).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE.code());
        assertThat(findCoordinator((short) 6, (byte) 7).errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
    }

    @Test
    void theFirstUseCreatesTheOffsetsOnceThereAreEnoughBrokers() throws Exception {
        assertThat(((ListGroupsResponse) answer(ApiKeys.LIST_GROUPS, (short) 5, new ListGroupsRequestData()))
                        .data()
                        .errorCode())
                .isEqualTo(Errors.NONE.code());
        findCoordinator((short) 6, (byte) 1);
        assertThat(findCoordinator((short) 6, (byte) 0).errorCode()).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE.code());
        assertThat(quorum.commands).isEmpty();
        quorum.register(2, "rack", new Endpoint(TestBroker.LISTENER, "two", 1002));
        org.awaitility.Awaitility.await()
                .until(() -> findCoordinator((short) 6, (byte) 0).errorCode() == Errors.NONE.code());
        QuorumCommand.NewTopic created =
                ((QuorumCommand.CreateTopics) quorum.commands.get(0)).topics().get(0);
        assertThat(quorum.commands).hasSize(1);
        assertThat(created.name()).isEqualTo("__consumer_offsets");
        assertThat(created.partitions()).isEqualTo(3);
        assertThat(created.replicationFactor()).isEqualTo(2);
        assertThat(created.configs())
                .containsEntry("cleanup.policy", "compact")
                .containsEntry("segment.bytes", "104857600");
    }

    private Coordinator findCoordinator(short version, byte type) throws Exception {
        if (version == 0 && type != 0) {
            throw new IllegalArgumentException("version 0 has no type");
        }
        FindCoordinatorResponse response =
                (FindCoordinatorResponse) answer(ApiKeys.FIND_COORDINATOR, version, find(version, type, "g"));
        return response.coordinators().get(0);
    }
}
