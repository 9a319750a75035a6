package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.Endpoint;
import java.util.function.Supplier;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeClusterResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DescribeClusterRequest;
import org.apache.kafka.common.requests.DescribeClusterResponse;

/** DescribeCluster: the brokers of the caller's listener, and on request the fenced ones. */
final class DescribeClusterHandler implements ApiHandler {
    private static final byte BROKERS = 1;
    private static final byte CONTROLLERS = 2;

    private final Supplier<ClusterImage> image;
    private final String clusterId;
    private final int brokerId;

    DescribeClusterHandler(Supplier<ClusterImage> image, String clusterId, int brokerId) {
        this.image = image;
        this.clusterId = clusterId;
        this.brokerId = brokerId;
    }

    @Override
    public void handle(Call call) {
        DescribeClusterRequestData request = ((DescribeClusterRequest) call.body()).data();
        call.respond(new DescribeClusterResponse(
                request.endpointType() == BROKERS
                        ? brokers(request, new ClusterView(image.get(), call.listenerName(), brokerId))
                        : refused(request.endpointType())));
    }

    private DescribeClusterResponseData brokers(DescribeClusterRequestData request, ClusterView view) {
        DescribeClusterResponseData response = new DescribeClusterResponseData()
                .setClusterId(clusterId)
                .setControllerId(view.controllerId())
                .setEndpointType(BROKERS);
        if (request.includeClusterAuthorizedOperations()) {
            response.setClusterAuthorizedOperations(Permissions.CLUSTER);
        }
        for (BrokerState broker : view.image().brokers().values()) {
            Endpoint endpoint = view.endpoint(broker);
            if (endpoint == null || (broker.fenced() && !request.includeFencedBrokers())) {
                continue;
            }
            response.brokers()
                    .add(new DescribeClusterResponseData.DescribeClusterBroker()
                            .setBrokerId(broker.id())
                            .setHost(endpoint.host())
                            .setPort(endpoint.port())
                            .setRack(broker.rack().isEmpty() ? null : broker.rack())
                            .setIsFenced(broker.fenced()));
        }
        return response;
    }

    private DescribeClusterResponseData refused(byte endpointType) {
        Errors error = endpointType == CONTROLLERS ? Errors.MISMATCHED_ENDPOINT_TYPE : Errors.UNSUPPORTED_ENDPOINT_TYPE;
        return new DescribeClusterResponseData()
                .setClusterId(clusterId)
                .setEndpointType(BROKERS)
                .setErrorCode(error.code())
                .setErrorMessage("this is a broker, asked for endpoint type " + endpointType);
    }
}
