package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.broker.net.CallHandler;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.ApiVersionsResponse;

/**
 * The APIs a broker offers, and the way from a call to its handler. ApiVersions is answered here from what is
 * registered, with the version ranges of Kafka 4.3.1: narrower ones would switch off features of older clients. An API
 * that is not registered closes the connection, as one that Kafka does not know.
 */
public final class ApiDispatcher implements CallHandler {
    /** From this version on a client understands a feature whose lowest level is 0. */
    private static final short FEATURE_LEVEL_0_VERSION = 4;

    private final Map<ApiKeys, ApiHandler> handlers;
    private final ApiVersionsResponse versions;
    private final ApiVersionsResponse versionsForOlder;

    private ApiDispatcher(Map<ApiKeys, ApiHandler> handlers) {
        this.handlers = new EnumMap<>(handlers);
        this.handlers.put(ApiKeys.API_VERSIONS, this::apiVersions);
        this.versions = versions(this.handlers.keySet(), false);
        this.versionsForOlder = versions(this.handlers.keySet(), true);
    }

    /** Collects the handlers of a dispatcher. */
    public static final class Builder {
        private final Map<ApiKeys, ApiHandler> handlers = new EnumMap<>(ApiKeys.class);

        /** Throws IllegalStateException if that API has a handler already. */
        public Builder register(ApiKeys key, ApiHandler handler) {
            if (key == ApiKeys.API_VERSIONS || handlers.putIfAbsent(key, handler) != null) {
                throw new IllegalStateException(key + " is registered twice");
            }
            return this;
        }

        public ApiDispatcher build() {
            return new ApiDispatcher(handlers);
        }
    }

    /** What is offered, ApiVersions included. */
    public Set<ApiKeys> apis() {
        return Set.copyOf(handlers.keySet());
    }

    @Override
    public void handle(Call call) {
        ApiHandler handler = handlers.get(call.header().apiKey());
        if (handler == null) {
            call.closeConnection(call.header().apiKey() + " is not offered");
        } else {
            handler.handle(call);
        }
    }

    private void apiVersions(Call call) {
        ApiVersionsRequest request = (ApiVersionsRequest) call.body();
        if (request.hasUnsupportedRequestVersion()) {
            // Version 0 with the error and the range of this API alone: the client asks again with a version in it.
            call.respond(request.getErrorResponse(0, new UnsupportedVersionException("unknown ApiVersions version")));
        } else if (!request.isValid()) {
            call.respond(request.getErrorResponse(0, Errors.INVALID_REQUEST.exception()));
        } else {
            call.respond(request.version() < FEATURE_LEVEL_0_VERSION ? versionsForOlder : versions);
        }
    }

    private static ApiVersionsResponse versions(Set<ApiKeys> apis, boolean alterFeatureLevel0) {
        ApiVersionsResponse.Builder response = new ApiVersionsResponse.Builder()
                .setApiVersions(ApiVersionsResponse.collectApis(ApiMessageType.ListenerType.BROKER, apis, false))
                .setAlterFeatureLevel0(alterFeatureLevel0);
        ClusterFeatures.tell(response);
        return response.build();
    }
}
