package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.broker.net.CallHandler;
import io.tidemark.model.metadata.ClusterImage;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Lets requests through once this broker has its first metadata. Before that it knows of no topic, which is not to say that
 * there is none, and clients that are told so give up. Whose connection ends comes again, here or elsewhere.
 */
public final class OnceInformed implements CallHandler {
    private final Supplier<ClusterImage> image;
    private final CallHandler apis;

    public OnceInformed(Supplier<ClusterImage> image, CallHandler apis) {
        this.image = image;
        this.apis = apis;
    }

    @Override
    public void handle(Call call) {
        // A client that is cut off at its question for versions takes the broker for one of ancient times.
        if (image.get().index() >= 0 || call.header().apiKey() == ApiKeys.API_VERSIONS) {
            apis.handle(call);
        } else {
            call.closeConnection("this broker has no metadata yet");
        }
    }
}
