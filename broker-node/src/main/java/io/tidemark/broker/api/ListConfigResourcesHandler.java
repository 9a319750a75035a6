package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.TopicState;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.kafka.common.config.ConfigResource.Type;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.message.ListConfigResourcesResponseData;
import org.apache.kafka.common.message.ListConfigResourcesResponseData.ConfigResource;
import org.apache.kafka.common.requests.ListConfigResourcesRequest;
import org.apache.kafka.common.requests.ListConfigResourcesResponse;

/**
 * ListConfigResources: what can have a configuration, by kind: topics and brokers as far as they exist, groups as far as
 * they are configured. There are no subscriptions to clients' metrics, the only kind of version 0.
 */
final class ListConfigResourcesHandler implements ApiHandler {
    private final Supplier<ClusterImage> image;

    ListConfigResourcesHandler(Supplier<ClusterImage> image) {
        this.image = image;
    }

    @Override
    public void handle(Call call) {
        ListConfigResourcesRequest request = (ListConfigResourcesRequest) call.body();
        Set<Byte> supported = request.supportedResourceTypes();
        Set<Byte> asked = new TreeSet<>(request.data().resourceTypes());
        if (!supported.containsAll(asked)) {
            call.respond(request.getErrorResponse(
                    0, new UnsupportedVersionException("one of the kinds of resources is unknown")));
            return;
        }
        ListConfigResourcesResponseData response = new ListConfigResourcesResponseData();
        ClusterImage now = image.get();
        for (byte type : asked.isEmpty() ? new TreeSet<>(supported) : asked) {
            for (String name : names(Type.forId(type), now)) {
                response.configResources()
                        .add(new ConfigResource().setResourceName(name).setResourceType(type));
            }
        }
        call.respond(new ListConfigResourcesResponse(response));
    }

    private static Collection<String> names(Type type, ClusterImage now) {
        return switch (type) {
            case TOPIC ->
                now.topics().values().stream().map(TopicState::name).sorted().toList();
            case BROKER, BROKER_LOGGER ->
                now.brokers().keySet().stream().sorted().map(String::valueOf).toList();
            case GROUP ->
                now.configs().entrySet().stream()
                        .filter(entry -> entry.getKey().type() == io.tidemark.model.metadata.ConfigResource.Type.GROUP
                                && !entry.getValue().isEmpty())
                        .map(entry -> entry.getKey().name())
                        .sorted()
                        .toList();
            default -> List.of();
        };
    }
}
