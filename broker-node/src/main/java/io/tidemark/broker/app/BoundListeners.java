package io.tidemark.broker.app;

import io.tidemark.broker.net.CallHandler;
import io.tidemark.broker.net.NetServer;
import io.tidemark.model.config.Listener;
import io.tidemark.model.config.Listeners;
import io.tidemark.model.metadata.Endpoint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Opens the listeners of a broker, and says under which addresses others reach them. */
final class BoundListeners {
    private BoundListeners() {}

    /** The advertised endpoints, that for other brokers first. Throws IOException if a port cannot be had. */
    static List<Endpoint> bind(NetServer server, Listeners listeners, CallHandler apis) throws IOException {
        Map<String, Integer> ports = new TreeMap<>();
        for (Listener listener : listeners.bound()) {
            int port = server.bind(
                    io.tidemark.broker.net.Listener.plaintext(listener.name(), listener.host(), listener.port()), apis);
            ports.put(listener.name(), port);
        }
        List<Endpoint> advertised = new ArrayList<>();
        for (Listener listener : listeners.advertised()) {
            // Port 0 was chosen by the system when the listener was bound.
            int port = listener.port() == 0 ? ports.get(listener.name()) : listener.port();
            Endpoint endpoint = new Endpoint(listener.name(), listener.host(), port);
            // The acting controller watches the first one (B5).
            int place = listener.name().equals(listeners.interBrokerName()) ? 0 : advertised.size();
            advertised.add(place, endpoint);
        }
        return advertised;
    }
}
