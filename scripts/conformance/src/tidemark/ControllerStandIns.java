package io.tidemark.conformance;

import static org.mockito.Mockito.mock;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.TopicState;
import java.lang.reflect.Proxy;
import java.util.AbstractMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import kafka.server.ControllerServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.controller.Controller;

/**
 * Stands where tests expect Kafka's controllers by their ids: whichever is asked knows the ids of the topics. There is
 * none to go through one by one, which is how tests wait for Kafka's own metadata log.
 */
final class ControllerStandIns extends AbstractMap<Integer, ControllerServer> {
    private final Supplier<ClusterImage> image;
    private final Insides insides;

    ControllerStandIns(Supplier<ClusterImage> image, Insides insides) {
        this.image = image;
        this.insides = insides;
    }

    @Override
    public Set<Entry<Integer, ControllerServer>> entrySet() {
        return Set.of();
    }

    @Override
    public ControllerServer get(Object id) {
        return mock(ControllerServer.class, call -> {
            String method = call.getMethod().getName();
            if (method.equals("controller")) {
                return controller();
            }
            throw insides.reach("ControllerServer." + method);
        });
    }

    private Controller controller() {
        return (Controller) Proxy.newProxyInstance(
                Controller.class.getClassLoader(), new Class<?>[] {Controller.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("findAllTopicIds")) {
                        return CompletableFuture.completedFuture(topicIds());
                    }
                    throw insides.reach("Controller." + method.getName());
                });
    }

    private Map<String, Uuid> topicIds() {
        Map<String, Uuid> ids = new HashMap<>();
        for (TopicState topic : image.get().topics().values()) {
            ids.put(topic.name(), new Uuid(topic.id().high(), topic.id().low()));
        }
        return ids;
    }
}
