package io.tidemark.broker.api;

import io.tidemark.broker.group.Groups;
import io.tidemark.broker.net.Call;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.PartitionState;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData.Coordinator;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorRequest;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;
import org.apache.kafka.common.requests.FindCoordinatorResponse;

/**
 * FindCoordinator: a group's coordinator is the leader of its partition of {@code __consumer_offsets}, which is created
 * when a group is first asked for. There are no transactions and no share groups yet.
 */
final class FindCoordinatorHandler implements ApiHandler {
    private static final short FIRST_WITH_MANY_KEYS = 4;

    private final Supplier<ClusterImage> image;
    private final int brokerId;
    private final Groups groups;

    FindCoordinatorHandler(Supplier<ClusterImage> image, int brokerId, Groups groups) {
        this.image = image;
        this.brokerId = brokerId;
        this.groups = groups;
    }

    @Override
    public void handle(Call call) {
        FindCoordinatorRequestData request = ((FindCoordinatorRequest) call.body()).data();
        ClusterView view = new ClusterView(image.get(), call.listenerName(), brokerId);
        FindCoordinatorResponseData response = new FindCoordinatorResponseData();
        if (call.body().version() < FIRST_WITH_MANY_KEYS) {
            Coordinator found = find(request.keyType(), request.key(), view);
            response.setErrorCode(found.errorCode())
                    .setErrorMessage(found.errorMessage())
                    .setNodeId(found.nodeId())
                    .setHost(found.host())
                    .setPort(found.port());
        } else {
            for (String key : request.coordinatorKeys()) {
                response.coordinators().add(find(request.keyType(), key, view));
            }
        }
        call.respond(new FindCoordinatorResponse(response));
    }

    private Coordinator find(byte type, String key, ClusterView view) {
        if (type == CoordinatorType.TRANSACTION.id()) {
            return none(key, Errors.COORDINATOR_NOT_AVAILABLE);
        } else if (type != CoordinatorType.GROUP.id()) {
            return none(key, Errors.INVALID_REQUEST);
        }
        Optional<PartitionState> partition = groups.partitionOf(key);
        int leader = partition.map(view::leader).orElse(ClusterView.NO_BROKER);
        if (leader == ClusterView.NO_BROKER) {
            return none(key, Errors.COORDINATOR_NOT_AVAILABLE);
        }
        Endpoint endpoint = view.endpoint(view.image().broker(leader));
        return new Coordinator()
                .setKey(key)
                .setErrorCode(Errors.NONE.code())
                .setErrorMessage(Errors.NONE.message())
                .setNodeId(leader)
                .setHost(endpoint.host())
                .setPort(endpoint.port());
    }

    private static Coordinator none(String key, Errors error) {
        return new Coordinator()
                .setKey(key)
                .setErrorCode(error.code())
                .setErrorMessage(error.message())
                .setNodeId(Node.noNode().id())
                .setHost(Node.noNode().host())
                .setPort(Node.noNode().port());
    }
}
