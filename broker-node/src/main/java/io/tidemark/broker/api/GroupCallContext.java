package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import java.net.InetAddress;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;

/** Who asks, in the form that Kafka's coordinators know. */
record GroupCallContext(Call call) implements AuthorizableRequestContext {
    @Override
    public String listenerName() {
        return call.listenerName();
    }

    /** The only one built yet. */
    @Override
    public SecurityProtocol securityProtocol() {
        return SecurityProtocol.PLAINTEXT;
    }

    @Override
    public KafkaPrincipal principal() {
        return KafkaPrincipal.ANONYMOUS;
    }

    @Override
    public InetAddress clientAddress() {
        return call.clientAddress();
    }

    @Override
    public int requestType() {
        return call.header().apiKey().id;
    }

    @Override
    public int requestVersion() {
        return call.body().version();
    }

    @Override
    public String clientId() {
        return call.header().clientId();
    }

    @Override
    public int correlationId() {
        return call.header().correlationId();
    }
}
