package io.tidemark.broker.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.ListConfigResourcesRequestData;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.ListPartitionReassignmentsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.UnregisterBrokerRequestData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.AlterPartitionReassignmentsResponse;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.CreatePartitionsResponse;
import org.apache.kafka.common.requests.CreateTopicsResponse;
import org.apache.kafka.common.requests.DeleteTopicsResponse;
import org.apache.kafka.common.requests.DescribeConfigsResponse;
import org.apache.kafka.common.requests.DescribeQuorumRequest;
import org.apache.kafka.common.requests.DescribeTopicPartitionsResponse;
import org.apache.kafka.common.requests.ElectLeadersResponse;
import org.apache.kafka.common.requests.IncrementalAlterConfigsResponse;
import org.apache.kafka.common.requests.InitProducerIdResponse;
import org.apache.kafka.common.requests.ListConfigResourcesResponse;
import org.apache.kafka.common.requests.ListPartitionReassignmentsResponse;
import org.apache.kafka.common.requests.MetadataResponse;
import org.apache.kafka.common.requests.UpdateFeaturesResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every answer can be written in every version offered: the message classes refuse a value that a version cannot carry,
 * which would close the connection of an older client.
 */
class EveryVersionTest {
    private static final TopicId TOPIC = new TopicId(5, 6);

    private FakeQuorum quorum;
    private ApiDispatcher apis;

    @BeforeEach
    void cluster() {
        quorum = new FakeQuorum();
        Endpoint first = new Endpoint(TestBroker.LISTENER, "one", 1001);
        quorum.register(1, "rack", first);
        quorum.register(2, "", new Endpoint(TestBroker.LISTENER, "two", 1002));
        quorum.register(3, "", new Endpoint("OTHER", "three", 1003));
        quorum.apply(
                new MetadataRecord.TopicCreated("t", TOPIC),
                new MetadataRecord.PartitionCreated(
                        PartitionState.created(new PartitionId(TOPIC, 0), List.of(1, 2, 3), List.of(1, 3), 1)),
                new MetadataRecord.PartitionCreated(
                        PartitionState.created(new PartitionId(TOPIC, 1), List.of(2, 1), List.of(2), 2)),
                new MetadataRecord.PartitionCreated(
                        PartitionState.created(new PartitionId(TOPIC, 2), List.of(3, 1), List.of(3), 3)));
        quorum.fence(2);
        apis = BrokerApis.register(new ApiDispatcher.Builder(), TestBroker.environment(quorum))
                .build();
    }

    /** Requests that between them lead to every field of the answers. */
    private List<Message> bodies(ApiKeys key, short version) {
        List<Message> bodies = new ArrayList<>();
        switch (key) {
            case API_VERSIONS ->
                bodies.add(
                        new ApiVersionsRequestData().setClientSoftwareName("c").setClientSoftwareVersion("1"));
            case METADATA -> {
                bodies.add(metadata(version, version == 0 ? List.of() : null));
                bodies.add(metadata(version, List.of(named("t"), named("missing"), named("no/good"))));
                if (version >= 12) {
                    bodies.add(metadata(
                            version, List.of(identified(ClusterView.uuid(TOPIC)), identified(new Uuid(1, 99)))));
                }
            }
            case DESCRIBE_CLUSTER -> {
                bodies.add(new DescribeClusterRequestData().setIncludeClusterAuthorizedOperations(true));
                if (version >= 1) {
                    bodies.add(new DescribeClusterRequestData().setEndpointType((byte) 2));
                }
                if (version >= 2) {
                    bodies.add(new DescribeClusterRequestData().setIncludeFencedBrokers(true));
                }
            }
            case DESCRIBE_TOPIC_PARTITIONS -> {
                bodies.add(new DescribeTopicPartitionsRequestData().setResponsePartitionLimit(2));
                bodies.add(new DescribeTopicPartitionsRequestData()
                        .setTopics(List.of(
                                new DescribeTopicPartitionsRequestData.TopicRequest().setName("t"),
                                new DescribeTopicPartitionsRequestData.TopicRequest().setName("missing"))));
            }
            case DESCRIBE_CONFIGS -> {
                DescribeConfigsRequestData request = new DescribeConfigsRequestData()
                        .setIncludeSynonyms(true)
                        .setIncludeDocumentation(version >= 3);
                for (byte type : new byte[] {2, 4, 8, 32}) {
                    for (String name : List.of("t", "1", "", "missing")) {
                        request.resources()
                                .add(new DescribeConfigsRequestData.DescribeConfigsResource()
                                        .setResourceType(type)
                                        .setResourceName(name)
                                        .setConfigurationKeys(null));
                    }
                }
                bodies.add(request);
            }
            case CREATE_TOPICS -> {
                bodies.add(createTopics("new-" + version));
                bodies.add(createTopics("t"));
                bodies.add(createTopics("no/good"));
            }
            case DELETE_TOPICS -> {
                if (version >= 6) {
                    bodies.add(new DeleteTopicsRequestData()
                            .setTopics(List.of(
                                    new DeleteTopicsRequestData.DeleteTopicState().setTopicId(new Uuid(3, 3)),
                                    new DeleteTopicsRequestData.DeleteTopicState().setName("missing"),
                                    new DeleteTopicsRequestData.DeleteTopicState().setName("t"))));
                } else {
                    bodies.add(new DeleteTopicsRequestData().setTopicNames(List.of("missing", "no/good", "t")));
                }
            }
            case INCREMENTAL_ALTER_CONFIGS -> bodies.add(incrementalConfigs());
            case ALTER_CONFIGS -> {
                AlterConfigsRequestData request = new AlterConfigsRequestData();
                request.resources().add(wholeConfig("t", "retention.ms", "5"));
                request.resources().add(wholeConfig("missing", "retention.ms", "5"));
                request.resources().add(wholeConfig("bad", "retention.ms", "many"));
                bodies.add(request);
            }
            case LIST_CONFIG_RESOURCES -> {
                bodies.add(new ListConfigResourcesRequestData());
                if (version >= 1) {
                    bodies.add(new ListConfigResourcesRequestData().setResourceTypes(List.of((byte) 2, (byte) 32)));
                    bodies.add(new ListConfigResourcesRequestData().setResourceTypes(List.of((byte) 99)));
                }
            }
            case ELECT_LEADERS -> {
                ElectLeadersRequestData request = new ElectLeadersRequestData();
                request.topicPartitions()
                        .add(new ElectLeadersRequestData.TopicPartitions()
                                .setTopic("t")
                                .setPartitions(List.of(0, 1, 9)));
                bodies.add(request);
                bodies.add(new ElectLeadersRequestData().setTopicPartitions(null));
            }
            case UPDATE_FEATURES -> {
                bodies.add(features("group.version", (short) 1));
                bodies.add(features("group.version", (short) 0));
                bodies.add(features("tidemark.metadata.level", (short) 1));
                bodies.add(features("tidemark.metadata.level", (short) 2));
                bodies.add(features("metadata.version", (short) 7));
            }
            case DESCRIBE_QUORUM -> {
                bodies.add(DescribeQuorumRequest.singletonRequest(
                        new TopicPartition(Topic.CLUSTER_METADATA_TOPIC_NAME, 0)));
                bodies.add(DescribeQuorumRequest.singletonRequest(new TopicPartition("t", 0)));
            }
            case UNREGISTER_BROKER -> {
                bodies.add(new UnregisterBrokerRequestData().setBrokerId(2));
                bodies.add(new UnregisterBrokerRequestData().setBrokerId(7));
            }
            case ALTER_PARTITION_REASSIGNMENTS -> {
                bodies.add(new AlterPartitionReassignmentsRequestData());
                bodies.add(reassignmentTo(List.of(2, 1)));
                bodies.add(reassignmentTo(null));
            }
            case LIST_PARTITION_REASSIGNMENTS -> {
                bodies.add(new ListPartitionReassignmentsRequestData().setTopics(null));
                bodies.add(reassignmentsOf("t", "missing"));
            }
            case CREATE_PARTITIONS -> bodies.add(growth());
            case INIT_PRODUCER_ID -> {
                bodies.add(new InitProducerIdRequestData());
                bodies.add(new InitProducerIdRequestData().setTransactionalId(null));
                bodies.add(new InitProducerIdRequestData().setTransactionalId("tx"));
            }
            default -> throw new AssertionError("no request of " + key + " is tried");
        }
        return bodies;
    }

    private static AlterConfigsRequestData.AlterConfigsResource wholeConfig(String topic, String key, String value) {
        AlterConfigsRequestData.AlterConfigsResource resource = new AlterConfigsRequestData.AlterConfigsResource()
                .setResourceType((byte) 2)
                .setResourceName(topic);
        resource.configs()
                .add(new AlterConfigsRequestData.AlterableConfig().setName(key).setValue(value));
        return resource;
    }

    /** A topic that is there, one that is not, the cluster's default, and a kind that has no configuration. */
    private static Message incrementalConfigs() {
        IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
        request.resources().add(edit((byte) 2, "t", "retention.ms", (byte) 0, "5"));
        request.resources().add(edit((byte) 2, "missing", "retention.ms", (byte) 1, null));
        request.resources().add(edit((byte) 4, "", "min.insync.replicas", (byte) 0, "1"));
        request.resources().add(edit((byte) 8, "1", "root", (byte) 0, "DEBUG"));
        return request;
    }

    private static IncrementalAlterConfigsRequestData.AlterConfigsResource edit(
            byte type, String name, String key, byte operation, String value) {
        IncrementalAlterConfigsRequestData.AlterConfigsResource resource =
                new IncrementalAlterConfigsRequestData.AlterConfigsResource()
                        .setResourceType(type)
                        .setResourceName(name);
        resource.configs()
                .add(new IncrementalAlterConfigsRequestData.AlterableConfig()
                        .setName(key)
                        .setConfigOperation(operation)
                        .setValue(value));
        return resource;
    }

    private static Message features(String feature, short level) {
        UpdateFeaturesRequestData request = new UpdateFeaturesRequestData();
        request.featureUpdates()
                .add(new UpdateFeaturesRequestData.FeatureUpdateKey()
                        .setFeature(feature)
                        .setMaxVersionLevel(level));
        return request;
    }

    /** Of partition 0 of a topic that exists, and of two partitions that do not. */
    private static Message reassignmentTo(List<Integer> target) {
        AlterPartitionReassignmentsRequestData request = new AlterPartitionReassignmentsRequestData();
        request.topics()
                .add(new ReassignableTopic()
                        .setName("t")
                        .setPartitions(List.of(
                                new ReassignablePartition().setPartitionIndex(0).setReplicas(target),
                                new ReassignablePartition().setPartitionIndex(9).setReplicas(target))));
        request.topics()
                .add(new ReassignableTopic()
                        .setName("missing")
                        .setPartitions(List.of(
                                new ReassignablePartition().setPartitionIndex(0).setReplicas(target))));
        return request;
    }

    private static Message reassignmentsOf(String... names) {
        ListPartitionReassignmentsRequestData request = new ListPartitionReassignmentsRequestData();
        request.setTopics(Stream.of(names)
                .map(name -> new ListPartitionReassignmentsRequestData.ListPartitionReassignmentsTopics()
                        .setName(name)
                        .setPartitionIndexes(List.of(0, 9)))
                .toList());
        return request;
    }

    private static Message metadata(short version, List<MetadataRequestData.MetadataRequestTopic> topics) {
        return new MetadataRequestData()
                .setTopics(topics)
                .setIncludeTopicAuthorizedOperations(version >= 8)
                .setIncludeClusterAuthorizedOperations(version >= 8 && version <= 10);
    }

    private static MetadataRequestData.MetadataRequestTopic named(String name) {
        return new MetadataRequestData.MetadataRequestTopic().setName(name);
    }

    private static MetadataRequestData.MetadataRequestTopic identified(Uuid id) {
        return new MetadataRequestData.MetadataRequestTopic().setName(null).setTopicId(id);
    }

    private static Message createTopics(String name) {
        CreateTopicsRequestData request = new CreateTopicsRequestData();
        request.topics()
                .add(new CreateTopicsRequestData.CreatableTopic()
                        .setName(name)
                        .setNumPartitions(1)
                        .setReplicationFactor((short) 1));
        return request;
    }

    private static Message growth() {
        CreatePartitionsRequestData request = new CreatePartitionsRequestData().setTimeoutMs(1000);
        for (String name : List.of("t", "missing", "no/good")) {
            request.topics()
                    .add(new CreatePartitionsRequestData.CreatePartitionsTopic()
                            .setName(name)
                            .setCount(10)
                            .setAssignments(null));
        }
        return request;
    }

    @TestFactory
    List<DynamicTest> everyAnswerCanBeWritten() {
        List<DynamicTest> tests = new ArrayList<>();
        for (ApiKeys key : apis.apis()) {
            for (short version = key.oldestVersion(); version <= key.latestVersion(false); version++) {
                short tried = version;
                tests.add(DynamicTest.dynamicTest(key + " " + version, () -> {
                    cluster();
                    for (Message body : bodies(key, tried)) {
                        AbstractResponse response = answer(key, tried, body);
                        MessageUtil.toByteBufferAccessor(response.data(), tried);
                    }
                }));
            }
        }
        assertThat(tests).hasSizeGreaterThan(40);
        return tests;
    }

    /** Written and read back first, so that the handler sees what a client of that version can say. */
    private AbstractResponse answer(ApiKeys key, short version, Message body) throws Exception {
        ByteBufferAccessor bytes = MessageUtil.toByteBufferAccessor(body, version);
        AbstractRequest request = AbstractRequest.parseRequest(key, version, bytes).request;
        FakeCall call = new FakeCall(request);
        apis.handle(call);
        return call.answer.get(10, TimeUnit.SECONDS);
    }

    @Test
    void offersKafkasOwnVersionRanges() throws Exception {
        ApiVersionsResponse versions = (ApiVersionsResponse) answer(
                ApiKeys.API_VERSIONS,
                (short) 4,
                new ApiVersionsRequestData().setClientSoftwareName("c").setClientSoftwareVersion("1"));
        for (ApiKeys key : apis.apis()) {
            ApiVersionsResponseData.ApiVersion offered = versions.apiVersion(key.id);
            assertThat(offered.minVersion()).isEqualTo(key.oldestVersion());
            assertThat(offered.maxVersion()).isEqualTo(key.latestVersion(false));
        }
        assertThat(versions.apiVersion(ApiKeys.INIT_PRODUCER_ID.id).maxVersion())
                .isEqualTo((short) 5);
        assertThat(versions.data().finalizedFeatures().stream().map(feature -> feature.name()))
                .containsExactlyInAnyOrder(
                        "eligible.leader.replicas.version", "group.version", "tidemark.metadata.level");
    }

    @Test
    void produceIsOfferedFromVersionZero() throws Exception {
        ApiDispatcher withProduce = new ApiDispatcher.Builder()
                .register(ApiKeys.PRODUCE, call -> {})
                .build();
        FakeCall call = new FakeCall(new org.apache.kafka.common.requests.ApiVersionsRequest.Builder().build());
        withProduce.handle(call);
        ApiVersionsResponse versions = (ApiVersionsResponse) call.answer.get();
        assertThat(versions.apiVersion(ApiKeys.PRODUCE.id).minVersion()).isEqualTo((short) 0);
    }

    @Test
    void metadataShowsWhatTheListenersClientsCanReach() throws Exception {
        MetadataResponseData all =
                ((MetadataResponse) answer(ApiKeys.METADATA, (short) 13, metadata((short) 13, null))).data();
        // broker 2 is fenced, broker 3 has no endpoint on this listener
        assertThat(all.brokers().stream().map(MetadataResponseData.MetadataResponseBroker::nodeId))
                .containsExactly(1);
        assertThat(all.controllerId()).isEqualTo(1);
        List<MetadataResponseData.MetadataResponsePartition> partitions =
                all.topics().find("t").partitions();
        assertThat(partitions.get(0).leaderId()).isEqualTo(1);
        assertThat(partitions.get(0).offlineReplicas()).containsExactly(2, 3);
        assertThat(partitions.get(1).leaderId()).isEqualTo(-1);
        assertThat(partitions.get(1).errorCode()).isEqualTo(Errors.LEADER_NOT_AVAILABLE.code());
        assertThat(partitions.get(2).errorCode()).isEqualTo(Errors.LISTENER_NOT_FOUND.code());
        MetadataResponseData old = ((MetadataResponse)
                        answer(ApiKeys.METADATA, (short) 0, metadata((short) 0, List.of(named("t")))))
                .data();
        assertThat(old.topics().find("t").partitions().get(0).replicaNodes()).containsExactly(1);
        assertThat(old.topics().find("t").partitions().get(0).errorCode())
                .isEqualTo(Errors.REPLICA_NOT_AVAILABLE.code());
    }

    @Test
    void metadataCreatesWhatIsMissingOnceIfAllowed() throws Exception {
        Message both = new MetadataRequestData().setTopics(List.of(named("fresh"), named("no/good")));
        MetadataResponseData first = ((MetadataResponse) answer(ApiKeys.METADATA, (short) 4, both)).data();
        assertThat(first.topics().find("fresh").errorCode()).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        assertThat(first.topics().find("no/good").errorCode()).isEqualTo(Errors.INVALID_TOPIC_EXCEPTION.code());
        assertThat(quorum.commands).hasSize(1);
        MetadataResponseData second = ((MetadataResponse) answer(ApiKeys.METADATA, (short) 4, both)).data();
        assertThat(second.topics().find("fresh").partitions()).hasSize(3);
        Message without =
                new MetadataRequestData().setTopics(List.of(named("forbidden"))).setAllowAutoTopicCreation(false);
        answer(ApiKeys.METADATA, (short) 4, without);
        answer(ApiKeys.METADATA, (short) 4, new MetadataRequestData().setTopics(List.of(named("__consumer_offsets"))));
        assertThat(quorum.commands).hasSize(1);
    }

    @Test
    void metadataRefusesTopicIdsWhereTheyCannotBeAskedFor() {
        Message byId = metadata((short) 10, List.of(named("t").setTopicId(new Uuid(1, 2))));
        assertThatThrownBy(() -> answer(ApiKeys.METADATA, (short) 10, byId))
                .isInstanceOf(InvalidRequestException.class);
    }

    @Test
    void pagesOfPartitionsFollowEachOther() throws Exception {
        List<Integer> seen = new ArrayList<>();
        DescribeTopicPartitionsRequestData.Cursor cursor = null;
        do {
            DescribeTopicPartitionsResponse page = (DescribeTopicPartitionsResponse) answer(
                    ApiKeys.DESCRIBE_TOPIC_PARTITIONS,
                    (short) 0,
                    new DescribeTopicPartitionsRequestData()
                            .setResponsePartitionLimit(2)
                            .setCursor(cursor));
            page.data().topics().forEach(topic -> topic.partitions().forEach(p -> seen.add(p.partitionIndex())));
            var next = page.data().nextCursor();
            cursor = next == null
                    ? null
                    : new DescribeTopicPartitionsRequestData.Cursor()
                            .setTopicName(next.topicName())
                            .setPartitionIndex(next.partitionIndex());
        } while (cursor != null);
        assertThat(seen).containsExactly(0, 1, 2);
        assertThatThrownBy(() -> answer(
                        ApiKeys.DESCRIBE_TOPIC_PARTITIONS,
                        (short) 0,
                        new DescribeTopicPartitionsRequestData()
                                .setTopics(
                                        List.of(new DescribeTopicPartitionsRequestData.TopicRequest().setName("other")))
                                .setCursor(new DescribeTopicPartitionsRequestData.Cursor().setTopicName("t"))))
                .isInstanceOf(InvalidRequestException.class);
    }

    @Test
    void reassignmentsAreThePartitionsWhoseReplicasChange() throws Exception {
        assertThat(reassignments(reassignmentsOf("t", "missing"))).isEmpty();
        quorum.apply(new MetadataRecord.PartitionChanged(
                new PartitionId(TOPIC, 0),
                null,
                null,
                null,
                null,
                null,
                List.of(1, 2, 3, 4),
                List.of(4),
                List.of(2),
                null,
                null));
        for (Message asked :
                List.of(reassignmentsOf("t", "missing"), new ListPartitionReassignmentsRequestData().setTopics(null))) {
            assertThat(reassignments(asked)).singleElement().satisfies(topic -> {
                assertThat(topic.name()).isEqualTo("t");
                assertThat(topic.partitions()).singleElement().satisfies(partition -> {
                    assertThat(partition.partitionIndex()).isZero();
                    assertThat(partition.replicas()).containsExactly(1, 2, 3, 4);
                    assertThat(partition.addingReplicas()).containsExactly(4);
                    assertThat(partition.removingReplicas()).containsExactly(2);
                });
            });
        }
    }

    @Test
    void reassignmentsAreAskedForPartitionByPartition() throws Exception {
        AlterPartitionReassignmentsResponse response = (AlterPartitionReassignmentsResponse)
                answer(ApiKeys.ALTER_PARTITION_REASSIGNMENTS, (short) 1, reassignmentTo(List.of(2, 1)));
        assertThat(response.data().errorCode()).isEqualTo(Errors.NONE.code());
        assertThat(errors(response))
                .containsExactlyInAnyOrder(
                        "t-0 NONE", "t-9 UNKNOWN_TOPIC_OR_PARTITION", "missing-0 UNKNOWN_TOPIC_OR_PARTITION");
        assertThat(quorum.commands)
                .containsExactly(new QuorumCommand.AlterReassignments(
                        List.of(new QuorumCommand.Reassignment(new PartitionId(TOPIC, 0), List.of(2, 1))),
                        true,
                        FakeCall.CLIENT));
        response = (AlterPartitionReassignmentsResponse)
                answer(ApiKeys.ALTER_PARTITION_REASSIGNMENTS, (short) 0, reassignmentTo(null));
        assertThat(errors(response)).contains("t-0 NO_REASSIGNMENT_IN_PROGRESS");
        response = (AlterPartitionReassignmentsResponse)
                answer(ApiKeys.ALTER_PARTITION_REASSIGNMENTS, (short) 0, reassignmentTo(List.of(-1)));
        assertThat(errors(response)).contains("t-0 INVALID_REPLICA_ASSIGNMENT");
        assertThat(quorum.commands).hasSize(2);
    }

    private static List<String> errors(AlterPartitionReassignmentsResponse response) {
        return response.data().responses().stream()
                .flatMap(topic -> topic.partitions().stream()
                        .map(row -> topic.name() + "-" + row.partitionIndex() + " " + Errors.forCode(row.errorCode())))
                .toList();
    }

    private List<ListPartitionReassignmentsResponseData.OngoingTopicReassignment> reassignments(Message asked)
            throws Exception {
        ListPartitionReassignmentsResponse response =
                (ListPartitionReassignmentsResponse) answer(ApiKeys.LIST_PARTITION_REASSIGNMENTS, (short) 0, asked);
        assertThat(response.data().errorCode()).isEqualTo(Errors.NONE.code());
        return response.data().topics();
    }

    @Test
    void whereTopicsCannotBeDeletedOlderClientsAreToldInWordsTheyKnow() throws Exception {
        quorum.refuseNext(ErrorCode.TOPIC_DELETION_DISABLED);
        assertThat(deletion((short) 2)).isEqualTo(Errors.INVALID_REQUEST.code());
        quorum.refuseNext(ErrorCode.TOPIC_DELETION_DISABLED);
        assertThat(deletion((short) 3)).isEqualTo(Errors.TOPIC_DELETION_DISABLED.code());
    }

    private short deletion(short version) throws Exception {
        Message request = new DeleteTopicsRequestData().setTopicNames(List.of("t"));
        return ((DeleteTopicsResponse) answer(ApiKeys.DELETE_TOPICS, version, request))
                .data()
                .responses()
                .find("t")
                .errorCode();
    }

    /** Which of the rows was meant is not to be guessed: neither is carried out. */
    @Test
    void whatIsNamedTwiceIsRefusedEachTime() throws Exception {
        DeleteTopicsResponse deleted = (DeleteTopicsResponse) answer(
                ApiKeys.DELETE_TOPICS,
                (short) 6,
                new DeleteTopicsRequestData()
                        .setTopics(List.of(
                                new DeleteTopicsRequestData.DeleteTopicState().setName("t"),
                                new DeleteTopicsRequestData.DeleteTopicState().setTopicId(new Uuid(3, 3)),
                                new DeleteTopicsRequestData.DeleteTopicState().setName("t"),
                                new DeleteTopicsRequestData.DeleteTopicState().setTopicId(new Uuid(3, 3)))));
        assertThat(deleted.data().responses())
                .hasSize(2)
                .allSatisfy(row -> assertThat(row.errorCode()).isEqualTo(Errors.INVALID_REQUEST.code()));
        CreatePartitionsRequestData growth = new CreatePartitionsRequestData().setTimeoutMs(1000);
        for (int count : new int[] {4, 5}) {
            growth.topics()
                    .add(new CreatePartitionsRequestData.CreatePartitionsTopic()
                            .setName("t")
                            .setCount(count)
                            .setAssignments(null));
        }
        CreatePartitionsResponse grown =
                (CreatePartitionsResponse) answer(ApiKeys.CREATE_PARTITIONS, (short) 3, growth);
        assertThat(grown.data().results())
                .singleElement()
                .satisfies(row -> assertThat(row.errorCode()).isEqualTo(Errors.INVALID_REQUEST.code()));
        assertThat(quorum.commands).isEmpty();
    }

    /** Also where the values that do not go together come one after the other. */
    @Test
    void configurationsAreJudgedAsTheyWouldBe() throws Exception {
        ConfigResource topic = ConfigResource.topic("t");
        quorum.apply(new MetadataRecord.ConfigSet(topic, "max.compaction.lag.ms", "50"));
        quorum.apply(new MetadataRecord.ConfigSet(
                ConfigResource.CLUSTER_DEFAULT, "log.cleaner.max.compaction.lag.ms", "50"));
        byte set = 0;
        byte delete = 1;
        byte topics = 2;
        byte brokers = 4;
        IncrementalAlterConfigsRequestData.AlterConfigsResource both =
                edit(topics, "t", "min.compaction.lag.ms", set, "100");
        both.configs()
                .add(new IncrementalAlterConfigsRequestData.AlterableConfig()
                        .setName("max.compaction.lag.ms")
                        .setConfigOperation(delete)
                        .setValue(null));
        assertThat(altered(edit(topics, "t", "min.compaction.lag.ms", set, "100")))
                .isEqualTo(Errors.INVALID_CONFIG);
        assertThat(altered(edit(brokers, "", "log.cleaner.min.compaction.lag.ms", set, "100")))
                .isEqualTo(Errors.INVALID_CONFIG);
        assertThat(altered(edit(brokers, "1", "log.cleaner.min.compaction.lag.ms", set, "100")))
                .isEqualTo(Errors.INVALID_CONFIG);
        for (String broker : List.of("", "1")) {
            assertThat(altered(edit(brokers, broker, "compression.gzip.level", set, "99")))
                    .isEqualTo(Errors.INVALID_CONFIG);
        }
        assertThat(quorum.commands).isEmpty();
        assertThat(altered(both)).isEqualTo(Errors.NONE);
        assertThat(altered(edit(topics, "t", "min.compaction.lag.ms", set, "40")))
                .isEqualTo(Errors.NONE);
        for (String broker : List.of("", "1")) {
            assertThat(altered(edit(brokers, broker, "compression.gzip.level", set, "9")))
                    .isEqualTo(Errors.NONE);
            assertThat(altered(edit(brokers, broker, "leader.replication.throttled.rate", set, "9")))
                    .isEqualTo(Errors.NONE);
        }
    }

    private Errors altered(IncrementalAlterConfigsRequestData.AlterConfigsResource resource) throws Exception {
        IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
        request.resources().add(resource);
        IncrementalAlterConfigsResponse response =
                (IncrementalAlterConfigsResponse) answer(ApiKeys.INCREMENTAL_ALTER_CONFIGS, (short) 1, request);
        return Errors.forCode(response.data().responses().get(0).errorCode());
    }

    /** What the request itself shows to be wrong never reaches the quorum. */
    @Test
    void configurationsAreRefusedResourceByResource() throws Exception {
        IncrementalAlterConfigsRequestData request = (IncrementalAlterConfigsRequestData) incrementalConfigs();
        request.resources().add(edit((byte) 2, "null", "retention.ms", (byte) 0, null));
        request.resources().add(edit((byte) 2, "bad", "retention.ms", (byte) 0, "many"));
        request.resources().add(edit((byte) 2, "odd", "retention.ms", (byte) 9, "1"));
        IncrementalAlterConfigsResponse response =
                (IncrementalAlterConfigsResponse) answer(ApiKeys.INCREMENTAL_ALTER_CONFIGS, (short) 1, request);
        assertThat(response.data().responses().stream().map(row -> Errors.forCode(row.errorCode())))
                .containsExactly(
                        Errors.NONE,
                        Errors.UNKNOWN_TOPIC_OR_PARTITION,
                        Errors.NONE,
                        Errors.INVALID_REQUEST,
                        Errors.INVALID_REQUEST,
                        Errors.INVALID_CONFIG,
                        Errors.INVALID_REQUEST);
        QuorumCommand.AlterConfigs asked = (QuorumCommand.AlterConfigs) quorum.commands.get(0);
        assertThat(asked.changes()).hasSize(3);
        assertThat(asked.changes().get(0).edits())
                .containsExactly(new QuorumCommand.ConfigEdit(QuorumCommand.ConfigEdit.Kind.SET, "retention.ms", "5"));
    }

    @Test
    void groupsAreConfiguredWithinTheBrokersLimits() throws Exception {
        IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
        request.resources().add(edit((byte) 32, "good", "consumer.session.timeout.ms", (byte) 0, "50000"));
        request.resources().add(edit((byte) 32, "low", "consumer.session.timeout.ms", (byte) 0, "1"));
        request.resources().add(edit((byte) 32, "other", "share.session.timeout.ms", (byte) 0, "50000"));
        IncrementalAlterConfigsResponse response =
                (IncrementalAlterConfigsResponse) answer(ApiKeys.INCREMENTAL_ALTER_CONFIGS, (short) 1, request);
        assertThat(response.data().responses().stream().map(row -> Errors.forCode(row.errorCode())))
                .containsExactly(Errors.NONE, Errors.INVALID_CONFIG, Errors.INVALID_CONFIG);
        quorum.apply(new MetadataRecord.ConfigSet(
                new ConfigResource(ConfigResource.Type.GROUP, "good"), "consumer.session.timeout.ms", "50000"));
        DescribeConfigsRequestData describe = new DescribeConfigsRequestData();
        describe.resources()
                .add(new DescribeConfigsRequestData.DescribeConfigsResource()
                        .setResourceType((byte) 32)
                        .setResourceName("good")
                        .setConfigurationKeys(
                                List.of("consumer.session.timeout.ms", "consumer.heartbeat.interval.ms")));
        DescribeConfigsResponse described =
                (DescribeConfigsResponse) answer(ApiKeys.DESCRIBE_CONFIGS, (short) 4, describe);
        assertThat(described.data().results().get(0).configs().stream()
                        .map(entry -> entry.name() + "=" + entry.value()))
                .containsExactly("consumer.heartbeat.interval.ms=5000", "consumer.session.timeout.ms=50000");
        ListConfigResourcesResponse listed = (ListConfigResourcesResponse) answer(
                ApiKeys.LIST_CONFIG_RESOURCES,
                (short) 1,
                new ListConfigResourcesRequestData().setResourceTypes(List.of((byte) 32)));
        assertThat(listed.data().configResources())
                .singleElement()
                .satisfies(resource -> assertThat(resource.resourceName()).isEqualTo("good"));
    }

    @Test
    void theLevelOfAFeatureStays() throws Exception {
        assertThat(levelChange("eligible.leader.replicas.version", (short) 1)).isEqualTo(Errors.NONE);
        assertThat(levelChange("eligible.leader.replicas.version", (short) 0)).isEqualTo(Errors.INVALID_UPDATE_VERSION);
        assertThat(levelChange("tidemark.metadata.level", (short) 1)).isEqualTo(Errors.NONE);
        assertThat(levelChange("tidemark.metadata.level", (short) 2)).isEqualTo(Errors.INVALID_UPDATE_VERSION);
        assertThat(levelChange("metadata.version", (short) 1)).isEqualTo(Errors.INVALID_UPDATE_VERSION);
    }

    private Errors levelChange(String feature, short level) throws Exception {
        return ((UpdateFeaturesResponse) answer(ApiKeys.UPDATE_FEATURES, (short) 2, features(feature, level)))
                .topLevelError()
                .error();
    }

    @Test
    void electionsOfAllPartitionsAreAskedForWhereTheyAreNeeded() throws Exception {
        ElectLeadersResponse response = (ElectLeadersResponse)
                answer(ApiKeys.ELECT_LEADERS, (short) 2, new ElectLeadersRequestData().setTopicPartitions(null));
        assertThat(response.data().replicaElectionResults()).isEmpty();
        assertThat(quorum.commands).isEmpty();
        quorum.apply(new MetadataRecord.PartitionChanged(
                new PartitionId(TOPIC, 0), 3, null, null, null, null, null, null, null, null, null));
        response = (ElectLeadersResponse)
                answer(ApiKeys.ELECT_LEADERS, (short) 2, new ElectLeadersRequestData().setTopicPartitions(null));
        assertThat(response.data().replicaElectionResults()).singleElement().satisfies(topic -> {
            assertThat(topic.topic()).isEqualTo("t");
            assertThat(topic.partitionResult()).singleElement().satisfies(row -> {
                assertThat(row.partitionId()).isZero();
                assertThat(row.errorCode()).isEqualTo(Errors.NONE.code());
            });
        });
        assertThat(quorum.commands)
                .containsExactly(
                        new QuorumCommand.ElectLeaders(List.of(new PartitionId(TOPIC, 0)), false, FakeCall.CLIENT));
    }

    @Test
    void anUnknownOutcomeIsATimeout() throws Exception {
        quorum.silence();
        Message request = ((CreateTopicsRequestData) createTopics("silent")).setTimeoutMs(20);
        CreateTopicsResponse response = (CreateTopicsResponse) answer(ApiKeys.CREATE_TOPICS, (short) 7, request);
        assertThat(response.data().topics().find("silent").errorCode()).isEqualTo(Errors.REQUEST_TIMED_OUT.code());
    }

    @Test
    void producerIdsAreUniqueAndComeInBlocks() throws Exception {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < 2500; i++) {
            ids.add(((InitProducerIdResponse) answer(
                            ApiKeys.INIT_PRODUCER_ID,
                            (short) 5,
                            new InitProducerIdRequestData().setTransactionalId(null)))
                    .data()
                    .producerId());
        }
        assertThat(ids).doesNotHaveDuplicates().allMatch(id -> id >= 0);
        assertThat(quorum.commands).hasSize(3);
        InitProducerIdResponse bumped = (InitProducerIdResponse) answer(
                ApiKeys.INIT_PRODUCER_ID,
                (short) 5,
                new InitProducerIdRequestData()
                        .setTransactionalId(null)
                        .setProducerId(ids.get(0))
                        .setProducerEpoch((short) 4));
        assertThat(ids).doesNotContain(bumped.data().producerId());
        assertThat(bumped.data().producerEpoch()).isEqualTo((short) 0);
        InitProducerIdResponse transactional = (InitProducerIdResponse)
                answer(ApiKeys.INIT_PRODUCER_ID, (short) 5, new InitProducerIdRequestData().setTransactionalId("tx"));
        assertThat(transactional.error()).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
    }
}
