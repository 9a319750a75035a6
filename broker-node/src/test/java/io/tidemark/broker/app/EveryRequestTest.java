package io.tidemark.broker.app;

import static org.apache.kafka.common.protocol.Errors.BROKER_ID_NOT_REGISTERED;
import static org.apache.kafka.common.protocol.Errors.COORDINATOR_NOT_AVAILABLE;
import static org.apache.kafka.common.protocol.Errors.ELECTION_NOT_NEEDED;
import static org.apache.kafka.common.protocol.Errors.GROUP_ID_NOT_FOUND;
import static org.apache.kafka.common.protocol.Errors.ILLEGAL_GENERATION;
import static org.apache.kafka.common.protocol.Errors.INCONSISTENT_GROUP_PROTOCOL;
import static org.apache.kafka.common.protocol.Errors.INVALID_GROUP_ID;
import static org.apache.kafka.common.protocol.Errors.INVALID_PARTITIONS;
import static org.apache.kafka.common.protocol.Errors.INVALID_REPLICA_ASSIGNMENT;
import static org.apache.kafka.common.protocol.Errors.INVALID_REQUEST;
import static org.apache.kafka.common.protocol.Errors.INVALID_SESSION_TIMEOUT;
import static org.apache.kafka.common.protocol.Errors.INVALID_TXN_STATE;
import static org.apache.kafka.common.protocol.Errors.INVALID_UPDATE_VERSION;
import static org.apache.kafka.common.protocol.Errors.NONE;
import static org.apache.kafka.common.protocol.Errors.NOT_LEADER_OR_FOLLOWER;
import static org.apache.kafka.common.protocol.Errors.OFFSET_OUT_OF_RANGE;
import static org.apache.kafka.common.protocol.Errors.UNKNOWN_LEADER_EPOCH;
import static org.apache.kafka.common.protocol.Errors.UNKNOWN_MEMBER_ID;
import static org.apache.kafka.common.protocol.Errors.UNKNOWN_TOPIC_ID;
import static org.apache.kafka.common.protocol.Errors.UNKNOWN_TOPIC_OR_PARTITION;
import static org.apache.kafka.common.protocol.Errors.UNSUPPORTED_ASSIGNOR;
import static org.apache.kafka.common.protocol.Errors.UNSUPPORTED_VERSION;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.net.RawClient;
import io.tidemark.broker.net.SampleRequests;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.FindCoordinatorResponse;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a broker says that it offers, it answers: every request in every version of its ApiVersions answer, empty and
 * with something in every field, gets a complete answer of that version, and never an error that only a bug explains.
 */
class EveryRequestTest {
    /** Versions of Produce that are offered only because librdkafka wants to see them, as by Kafka. */
    private static final short FIRST_REAL_PRODUCE = 3;

    /** They take away what the others ask for: the topic, and the only broker. */
    private static final List<ApiKeys> LAST = List.of(ApiKeys.DELETE_TOPICS, ApiKeys.UNREGISTER_BROKER);

    /** Errors that are right for an empty request and for one with "sample" and 1 everywhere, over all versions. */
    private record Right(Set<Errors> empty, Set<Errors> filled) {}

    private static final Map<ApiKeys, Right> RIGHT = Map.ofEntries(
            right(ApiKeys.PRODUCE, Set.of(), Set.of(INVALID_TXN_STATE)),
            // As a follower of that id in the older versions, as a consumer with an unknown topic id in the newer ones.
            right(ApiKeys.FETCH, Set.of(NONE), Set.of(NONE, NOT_LEADER_OR_FOLLOWER, INVALID_REQUEST)),
            right(ApiKeys.LIST_OFFSETS, Set.of(), Set.of(NONE, UNKNOWN_LEADER_EPOCH)),
            right(ApiKeys.METADATA, Set.of(NONE), Set.of(NONE, UNKNOWN_TOPIC_ID, INVALID_REQUEST)),
            right(ApiKeys.OFFSET_COMMIT, Set.of(), Set.of(ILLEGAL_GENERATION, GROUP_ID_NOT_FOUND, UNKNOWN_TOPIC_ID)),
            right(ApiKeys.OFFSET_FETCH, Set.of(NONE), Set.of(NONE, UNKNOWN_TOPIC_ID)),
            right(ApiKeys.JOIN_GROUP, Set.of(INVALID_GROUP_ID), Set.of(INVALID_SESSION_TIMEOUT)),
            right(ApiKeys.HEARTBEAT, Set.of(INVALID_GROUP_ID), Set.of(UNKNOWN_MEMBER_ID)),
            right(ApiKeys.LEAVE_GROUP, Set.of(INVALID_GROUP_ID), Set.of(NONE, UNKNOWN_MEMBER_ID)),
            right(ApiKeys.SYNC_GROUP, Set.of(INVALID_GROUP_ID, INCONSISTENT_GROUP_PROTOCOL), Set.of(UNKNOWN_MEMBER_ID)),
            right(ApiKeys.DESCRIBE_GROUPS, Set.of(), Set.of(NONE, GROUP_ID_NOT_FOUND)),
            right(ApiKeys.LIST_GROUPS, Set.of(NONE), Set.of(NONE)),
            // Empty software names are refused where there are such.
            right(ApiKeys.API_VERSIONS, Set.of(NONE, INVALID_REQUEST), Set.of(NONE)),
            right(ApiKeys.CREATE_TOPICS, Set.of(), Set.of(INVALID_REQUEST)),
            right(ApiKeys.DELETE_TOPICS, Set.of(), Set.of(NONE, UNKNOWN_TOPIC_OR_PARTITION, INVALID_REQUEST)),
            right(ApiKeys.OFFSET_FOR_LEADER_EPOCH, Set.of(), Set.of(NONE, UNKNOWN_LEADER_EPOCH)),
            right(ApiKeys.DESCRIBE_CONFIGS, Set.of(), Set.of(INVALID_REQUEST)),
            right(ApiKeys.CREATE_PARTITIONS, Set.of(), Set.of(INVALID_PARTITIONS)),
            right(ApiKeys.DELETE_GROUPS, Set.of(), Set.of(GROUP_ID_NOT_FOUND)),
            right(ApiKeys.OFFSET_DELETE, Set.of(INVALID_GROUP_ID), Set.of(GROUP_ID_NOT_FOUND)),
            right(ApiKeys.DESCRIBE_CLUSTER, Set.of(NONE), Set.of(NONE)),
            right(ApiKeys.CONSUMER_GROUP_HEARTBEAT, Set.of(INVALID_REQUEST), Set.of(UNSUPPORTED_ASSIGNOR)),
            right(ApiKeys.CONSUMER_GROUP_DESCRIBE, Set.of(), Set.of(GROUP_ID_NOT_FOUND)),
            right(ApiKeys.DELETE_RECORDS, Set.of(), Set.of(OFFSET_OUT_OF_RANGE)),
            right(ApiKeys.INIT_PRODUCER_ID, Set.of(INVALID_REQUEST), Set.of(COORDINATOR_NOT_AVAILABLE)),
            right(ApiKeys.ALTER_CONFIGS, Set.of(), Set.of(INVALID_REQUEST)),
            right(ApiKeys.INCREMENTAL_ALTER_CONFIGS, Set.of(), Set.of(INVALID_REQUEST)),
            right(ApiKeys.DESCRIBE_LOG_DIRS, Set.of(NONE), Set.of(NONE)),
            right(ApiKeys.ELECT_LEADERS, Set.of(NONE), Set.of(NONE, ELECTION_NOT_NEEDED)),
            right(
                    ApiKeys.ALTER_PARTITION_REASSIGNMENTS,
                    Set.of(NONE),
                    Set.of(NONE, UNKNOWN_TOPIC_OR_PARTITION, INVALID_REPLICA_ASSIGNMENT)),
            right(ApiKeys.LIST_PARTITION_REASSIGNMENTS, Set.of(NONE), Set.of(NONE)),
            right(ApiKeys.DESCRIBE_QUORUM, Set.of(NONE), Set.of(NONE, UNKNOWN_TOPIC_OR_PARTITION)),
            right(ApiKeys.UPDATE_FEATURES, Set.of(NONE), Set.of(INVALID_UPDATE_VERSION)),
            right(ApiKeys.DESCRIBE_PRODUCERS, Set.of(), Set.of(NONE)),
            right(ApiKeys.UNREGISTER_BROKER, Set.of(BROKER_ID_NOT_REGISTERED), Set.of()),
            right(ApiKeys.LIST_CONFIG_RESOURCES, Set.of(NONE), Set.of(NONE, UNSUPPORTED_VERSION)),
            right(ApiKeys.DESCRIBE_TOPIC_PARTITIONS, Set.of(NONE), Set.of(NONE)));

    private static Map.Entry<ApiKeys, Right> right(ApiKeys key, Set<Errors> empty, Set<Errors> filled) {
        return Map.entry(key, new Right(empty, filled));
    }

    @TempDir
    private Path root;

    private int port;

    @Test
    void everyRequestOfEveryVersionIsAnswered() throws Exception {
        Map<String, String> config = Map.of(
                "offsets.topic.num.partitions", "1",
                "offsets.topic.replication.factor", "1",
                "group.initial.rebalance.delay.ms", "0",
                "auto.create.topics.enable", "false");
        try (BrokerCluster cluster = new BrokerCluster(root, 1, 1, 2_000, config)) {
            port = cluster.image().broker(1).endpoints().get(0).port();
            GroupClients.createTopic(cluster, "sample", 2, 1);
            awaitCoordinator();
            Map<ApiKeys, Map<String, Set<Errors>>> errors = new TreeMap<>();
            List<ApiVersionsResponseData.ApiVersion> all = offered();
            all.sort(Comparator.comparing(offered -> LAST.indexOf(ApiKeys.forId(offered.apiKey()))));
            for (ApiVersionsResponseData.ApiVersion offered : all) {
                ApiKeys key = ApiKeys.forId(offered.apiKey());
                for (short version = offered.minVersion(); version <= offered.maxVersion(); version++) {
                    if (key == ApiKeys.PRODUCE && version < FIRST_REAL_PRODUCE) {
                        isCutOff(key, version);
                        continue;
                    }
                    for (boolean filled : new boolean[] {false, true}) {
                        ApiMessage body = filled ? SampleRequests.filled(key, version) : SampleRequests.empty(key);
                        errors.computeIfAbsent(key, any -> new TreeMap<>())
                                .computeIfAbsent(filled ? "filled" : "empty", any -> new HashSet<>())
                                .addAll(answer(key, version, body));
                    }
                }
            }
            assertThat(errors).hasSizeGreaterThan(25);
            RIGHT.forEach((key, right) -> {
                assertThat(errors.get(key).get("empty")).as("empty %s", key).isSubsetOf(right.empty);
                assertThat(errors.get(key).get("filled")).as("filled %s", key).isSubsetOf(right.filled);
            });
            assertThat(cluster.fatal()).isEmpty();
        }
    }

    @Test
    void aVersionAfterTheLastOneIsNotAnswered() throws Exception {
        try (BrokerCluster cluster = new BrokerCluster(root, 1, 1, 2_000, Map.of())) {
            port = cluster.image().broker(1).endpoints().get(0).port();
            for (ApiVersionsResponseData.ApiVersion offered : offered()) {
                ApiKeys key = ApiKeys.forId(offered.apiKey());
                short next = (short) (offered.maxVersion() + 1);
                if (key != ApiKeys.API_VERSIONS) {
                    isCutOff(key, next);
                    continue;
                }
                for (short version : new short[] {next, Short.MAX_VALUE, -1}) {
                    try (RawClient client = new RawClient(port)) {
                        client.send(headerAndZeroes(key, version, 3));
                        ByteBufferAccessor answer = new ByteBufferAccessor(ByteBuffer.wrap(client.receive()));
                        assertThat(new ResponseHeaderData(answer, (short) 0).correlationId())
                                .isEqualTo(5);
                        ApiVersionsResponseData data = new ApiVersionsResponseData(answer, (short) 0);
                        assertThat(answer.remaining()).isZero();
                        assertThat(Errors.forCode(data.errorCode())).isEqualTo(Errors.UNSUPPORTED_VERSION);
                        // As Kafka does: the range of this API, with which the client asks again.
                        assertThat(data.apiKeys().find(key.id).maxVersion()).isEqualTo(offered.maxVersion());
                        assertThat(client.call(new ApiVersionsRequest.Builder().build()))
                                .isInstanceOf(ApiVersionsResponse.class);
                    }
                }
            }
        }
    }

    private List<ApiVersionsResponseData.ApiVersion> offered() throws IOException {
        try (RawClient client = new RawClient(port)) {
            ApiVersionsResponse response = (ApiVersionsResponse) client.call(new ApiVersionsRequest.Builder().build());
            return new ArrayList<>(response.data().apiKeys());
        }
    }

    private void awaitCoordinator() {
        ApiMessage request = new FindCoordinatorRequestData().setKey("g");
        Awaitility.await().atMost(BrokerCluster.PATIENCE).until(() -> {
            try (RawClient client = new RawClient(port)) {
                client.send(frame(ApiKeys.FIND_COORDINATOR, (short) 3, 1, request));
                var answer = (FindCoordinatorResponse) parse(ApiKeys.FIND_COORDINATOR, (short) 3, client.receive());
                return answer.error() == Errors.NONE;
            }
        });
    }

    /** Sends it, reads the answer byte for byte as one of that version, and returns the errors in it. */
    private Set<Errors> answer(ApiKeys key, short version, ApiMessage body) throws IOException {
        try (RawClient client = new RawClient(port)) {
            client.send(frame(key, version, 11, body));
            if (body instanceof ProduceRequestData produce && produce.acks() == 0) {
                // No answer; the next request is.
                assertThat(client.call(new ApiVersionsRequest.Builder().build()))
                        .isInstanceOf(ApiVersionsResponse.class);
                return Set.of();
            }
            AbstractResponse response;
            try {
                response = parse(key, version, client.receive());
            } catch (IOException | RuntimeException e) {
                throw new AssertionError("no answer to " + key + " " + version + " " + body, e);
            }
            assertThat(response.errorCounts().keySet())
                    .as("%s %s %s", key, version, body)
                    .doesNotContain(Errors.UNKNOWN_SERVER_ERROR);
            return response.errorCounts().keySet();
        }
    }

    private static AbstractResponse parse(ApiKeys key, short version, byte[] answer) {
        ByteBufferAccessor bytes = new ByteBufferAccessor(ByteBuffer.wrap(answer));
        new ResponseHeaderData(bytes, key.responseHeaderVersion(version));
        AbstractResponse response = AbstractResponse.parseResponse(key, bytes, version);
        assertThat(bytes.remaining()).as("bytes behind the answer").isZero();
        // Nothing in it was left out: written again it has the same size.
        assertThat(MessageUtil.toByteBufferAccessor(response.data(), version).remaining())
                .isLessThan(answer.length);
        return response;
    }

    private void isCutOff(ApiKeys key, short version) throws IOException {
        try (RawClient client = new RawClient(port)) {
            client.send(headerAndZeroes(key, version, 16));
            assertThat(client.closedByPeer()).as("%s %s", key, version).isTrue();
        }
    }

    private static byte[] headerAndZeroes(ApiKeys key, short version, int zeroes) {
        ByteBuffer request = ByteBuffer.allocate(10 + zeroes)
                .putShort(key.id)
                .putShort(version)
                .putInt(5)
                .putShort((short) -1)
                .put(new byte[zeroes]);
        return RawClient.frame(request.flip());
    }

    private static byte[] frame(ApiKeys key, short version, int correlation, ApiMessage body) {
        return RawClient.frame(ByteBuffer.wrap(SampleRequests.bytes(key, version, correlation, body)));
    }
}
