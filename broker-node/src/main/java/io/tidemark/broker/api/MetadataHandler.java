package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.MetadataResponse;

/**
 * Metadata (R7.91): all topics, or topics by name or id, with the leaders the caller can reach. A topic asked for by
 * name that does not exist is created if both the request and the broker allow it; the answer of that time is
 * UNKNOWN_TOPIC_OR_PARTITION, on which clients ask again.
 */
final class MetadataHandler implements ApiHandler {
    private static final short FIRST_WITH_LISTENER_ERRORS = 6;
    private static final short FIRST_WITH_NULL_FOR_ALL = 1;
    private static final short FIRST_WITH_TOPIC_IDS = 10;
    private static final short FIRST_ASKING_BY_TOPIC_ID = 12;
    private static final short LAST_WITH_CLUSTER_OPERATIONS = 10;

    private final Supplier<ClusterImage> image;
    private final String clusterId;
    private final int brokerId;
    private final TopicAutoCreation autoCreation;

    MetadataHandler(Supplier<ClusterImage> image, String clusterId, int brokerId, TopicAutoCreation autoCreation) {
        this.image = image;
        this.clusterId = clusterId;
        this.brokerId = brokerId;
        this.autoCreation = autoCreation;
    }

    @Override
    public void handle(Call call) {
        MetadataRequest request = (MetadataRequest) call.body();
        ClusterView view = new ClusterView(image.get(), call.listenerName(), brokerId);
        short version = request.version();
        MetadataResponseData response =
                new MetadataResponseData().setClusterId(clusterId).setControllerId(view.controllerId());
        for (BrokerState broker : view.aliveBrokers()) {
            response.brokers().add(broker(broker, view.endpoint(broker)));
        }
        if (request.isAllTopics()) {
            for (TopicState topic : view.image().topics().values()) {
                response.topics().add(topic(topic, view, request));
            }
        } else if (!addById(request, view, response)) {
            addByName(call, request, view, response);
        }
        if (request.data().includeClusterAuthorizedOperations() && version <= LAST_WITH_CLUSTER_OPERATIONS) {
            response.setClusterAuthorizedOperations(Permissions.CLUSTER);
        }
        call.respond(new MetadataResponse(response, version));
    }

    private static MetadataResponseBroker broker(BrokerState broker, Endpoint endpoint) {
        return new MetadataResponseBroker()
                .setNodeId(broker.id())
                .setHost(endpoint.host())
                .setPort(endpoint.port())
                .setRack(broker.rack().isEmpty() ? null : broker.rack());
    }

    /** False if the request names no topic id, so that its names count. */
    private static boolean addById(MetadataRequest request, ClusterView view, MetadataResponseData response) {
        Set<Uuid> ids = new LinkedHashSet<>();
        for (MetadataRequestTopic topic : request.data().topics()) {
            boolean named = topic.name() != null;
            boolean identified = !topic.topicId().equals(Uuid.ZERO_UUID);
            if (request.version() >= FIRST_WITH_TOPIC_IDS
                    && request.version() < FIRST_ASKING_BY_TOPIC_ID
                    && (identified || !named)) {
                throw new InvalidRequestException("topic ids cannot be asked for in versions 10 and 11");
            }
            if (!named && !identified) {
                throw new InvalidRequestException("a topic needs a name or an id");
            }
            if (identified) {
                ids.add(topic.topicId());
            }
        }
        for (Uuid id : ids) {
            TopicState topic = view.image().topic(ClusterView.topicId(id));
            response.topics()
                    .add(topic == null ? unknown(null, id, Errors.UNKNOWN_TOPIC_ID) : topic(topic, view, request));
        }
        return !ids.isEmpty();
    }

    private void addByName(Call call, MetadataRequest request, ClusterView view, MetadataResponseData response) {
        List<String> missing = new ArrayList<>();
        Set<String> names = new LinkedHashSet<>();
        request.data().topics().forEach(topic -> names.add(topic.name()));
        for (String name : names) {
            TopicState topic = view.image().topic(name);
            if (topic != null) {
                response.topics().add(topic(topic, view, request));
            } else if (!Topic.isValid(name)) {
                response.topics().add(unknown(name, Uuid.ZERO_UUID, Errors.INVALID_TOPIC_EXCEPTION));
            } else {
                if (!Topic.isInternal(name)) { // those are created by what uses them, with settings of their own
                    missing.add(name);
                }
                response.topics().add(unknown(name, Uuid.ZERO_UUID, Errors.UNKNOWN_TOPIC_OR_PARTITION));
            }
        }
        if (!missing.isEmpty() && request.allowAutoTopicCreation()) {
            autoCreation.create(missing, call.header().clientId());
        }
    }

    private static MetadataResponseTopic unknown(String name, Uuid id, Errors error) {
        return new MetadataResponseTopic()
                .setName(name)
                .setTopicId(id)
                .setErrorCode(error.code())
                .setIsInternal(name != null && Topic.isInternal(name));
    }

    private static MetadataResponseTopic topic(TopicState topic, ClusterView view, MetadataRequest request) {
        MetadataResponseTopic result = new MetadataResponseTopic()
                .setName(topic.name())
                .setTopicId(ClusterView.uuid(topic.id()))
                .setIsInternal(Topic.isInternal(topic.name()))
                .setPartitions(new ArrayList<>(topic.partitions().size()));
        if (request.data().includeTopicAuthorizedOperations()) {
            result.setTopicAuthorizedOperations(Permissions.TOPIC);
        }
        for (PartitionState partition : topic.partitions()) {
            result.partitions().add(partition(partition, view, request.version()));
        }
        return result;
    }

    private static MetadataResponsePartition partition(PartitionState partition, ClusterView view, short version) {
        List<Integer> offline = view.offlineReplicas(partition);
        MetadataResponsePartition result = new MetadataResponsePartition()
                .setPartitionIndex(partition.id().partition())
                .setErrorCode(view.leaderError(partition, version >= FIRST_WITH_LISTENER_ERRORS)
                        .code())
                .setLeaderId(view.leader(partition))
                .setLeaderEpoch(partition.leaderEpoch())
                .setReplicaNodes(partition.replicas())
                .setIsrNodes(partition.isr())
                .setOfflineReplicas(offline);
        return version >= FIRST_WITH_NULL_FOR_ALL ? result : forOldest(result, offline);
    }

    /** Version 0 has no list of offline replicas: it names only those that can be reached, and says that some cannot. */
    private static MetadataResponsePartition forOldest(MetadataResponsePartition partition, List<Integer> offline) {
        if (!offline.isEmpty() && partition.errorCode() == Errors.NONE.code()) {
            partition.setErrorCode(Errors.REPLICA_NOT_AVAILABLE.code());
        }
        return partition
                .setReplicaNodes(without(partition.replicaNodes(), offline))
                .setIsrNodes(without(partition.isrNodes(), offline));
    }

    private static List<Integer> without(List<Integer> replicas, List<Integer> offline) {
        List<Integer> rest = new ArrayList<>(replicas);
        rest.removeAll(offline);
        return rest;
    }
}
