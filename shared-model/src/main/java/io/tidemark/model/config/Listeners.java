package io.tidemark.model.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Where a broker listens, under which addresses it tells others to reach it, and which listener other brokers use:
 * Kafka's listener map.
 *
 * @param bound at least one; names differ, ports differ unless 0
 * @param advertised one for every client-facing listener that others may learn of; names are a subset of the bound ones
 * @param interBrokerName name of a listener that is both bound and advertised
 */
public record Listeners(List<Listener> bound, List<Listener> advertised, String interBrokerName) {
    private static final String DEFAULT = "PLAINTEXT://:9092";

    /** The listener that replication uses. */
    public Listener interBroker() {
        return bound.stream()
                .filter(listener -> listener.name().equals(interBrokerName))
                .findFirst()
                .orElseThrow();
    }

    /** Notes a problem if the controllers' port is to be secured: it would silently not be. */
    static void readControllers(ConfigReader reader) {
        refuseSecuredControllers(reader, protocols(reader), controllers(reader));
    }

    private static void refuseSecuredControllers(
            ConfigReader reader, Map<String, SecurityProtocol> protocols, Set<String> controllers) {
        for (String name : controllers) {
            SecurityProtocol protocol = protocols.getOrDefault(name, SecurityProtocol.PLAINTEXT);
            if (!protocol.isBuilt()) {
                reader.problem("listener.security.protocol.map: the controllers' listener " + name + " is to be "
                        + protocol + ", which is not built yet; only PLAINTEXT is");
            }
        }
    }

    private static Map<String, SecurityProtocol> protocols(ConfigReader reader) {
        return reader.value("listener.security.protocol.map", defaultProtocols(), Listeners::parseProtocols);
    }

    private static Set<String> controllers(ConfigReader reader) {
        return reader.value("controller.listener.names", Set.<String>of(), Listeners::parseNames);
    }

    static Listeners read(ConfigReader reader) {
        Map<String, SecurityProtocol> protocols = protocols(reader);
        Set<String> controllers = controllers(reader);
        refuseSecuredControllers(reader, protocols, controllers);
        List<Listener> fallback = parse(DEFAULT, defaultProtocols(), Set.of());
        List<Listener> bound =
                reader.value("listeners", fallback, text -> uniquePorts(parse(text, protocols, controllers)));
        List<Listener> advertised =
                reader.value("advertised.listeners", bound, text -> parse(text, protocols, controllers));
        String interBroker = interBrokerName(reader);
        Set<String> names = bound.stream().map(Listener::name).collect(Collectors.toSet());
        for (Listener listener : advertised) {
            if (!names.contains(listener.name())) {
                reader.problem("advertised.listeners names " + listener.name() + ", which is not among listeners");
            }
            if (listener.host().equals("0.0.0.0") || listener.host().equals("::")) {
                reader.problem("advertised.listeners: " + listener + " is no address others can connect to"
                        + "; set advertised.listeners to one that is");
            }
        }
        if (advertised.stream().noneMatch(listener -> listener.name().equals(interBroker))
                || !names.contains(interBroker)) {
            reader.problem(
                    "inter.broker.listener.name: " + interBroker + " must be among listeners and advertised.listeners");
        }
        return new Listeners(bound, withHosts(advertised), interBroker);
    }

    private static String interBrokerName(ConfigReader reader) {
        SecurityProtocol protocol =
                reader.value("security.inter.broker.protocol", SecurityProtocol.PLAINTEXT, Listeners::builtProtocol);
        boolean named = reader.has("inter.broker.listener.name");
        if (named && reader.has("security.inter.broker.protocol")) {
            reader.problem("inter.broker.listener.name and security.inter.broker.protocol exclude each other");
        }
        return named ? reader.text("inter.broker.listener.name").toUpperCase(Locale.ROOT) : protocol.name();
    }

    private static Map<String, SecurityProtocol> defaultProtocols() {
        return Arrays.stream(SecurityProtocol.values()).collect(Collectors.toMap(Enum::name, protocol -> protocol));
    }

    private static Map<String, SecurityProtocol> parseProtocols(String text) {
        Map<String, SecurityProtocol> protocols = new LinkedHashMap<>();
        for (String part : text.split(",", -1)) {
            String[] pair = part.strip().split(":", -1);
            if (pair.length != 2) {
                throw new IllegalArgumentException("expected NAME:PROTOCOL, separated by commas");
            }
            protocols.put(pair[0].strip().toUpperCase(Locale.ROOT), SecurityProtocol.parse(pair[1].strip()));
        }
        return protocols;
    }

    private static Set<String> parseNames(String text) {
        return Arrays.stream(text.split(",", -1))
                .map(name -> name.strip().toUpperCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Leaves out the controllers' listeners, which a file for both roles may name as well. */
    private static List<Listener> parse(String text, Map<String, SecurityProtocol> protocols, Set<String> controllers) {
        List<Listener> listeners = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (String part : text.split(",", -1)) {
            Listener listener = parseOne(part.strip(), protocols, controllers);
            if (!names.add(listener.name())) {
                throw new IllegalArgumentException("the listener " + listener.name() + " is named twice");
            }
            if (!controllers.contains(listener.name())) {
                listeners.add(listener);
            }
        }
        if (listeners.isEmpty()) {
            throw new IllegalArgumentException("expected at least one listener for clients");
        }
        return List.copyOf(listeners);
    }

    private static Listener parseOne(String text, Map<String, SecurityProtocol> protocols, Set<String> controllers) {
        int separator = text.indexOf("://");
        if (separator < 1) {
            throw new IllegalArgumentException("expected NAME://host:port, separated by commas");
        }
        String name = text.substring(0, separator).toUpperCase(Locale.ROOT);
        HostPort address = HostPort.parse(text.substring(separator + 3));
        if (controllers.contains(name)) {
            return new Listener(name, SecurityProtocol.PLAINTEXT, address.host(), address.port());
        }
        SecurityProtocol protocol = protocols.get(name);
        if (protocol == null) {
            throw new IllegalArgumentException("listener.security.protocol.map has no entry for the listener " + name);
        }
        return new Listener(name, builtProtocol(protocol.name()), address.host(), address.port());
    }

    private static SecurityProtocol builtProtocol(String text) {
        SecurityProtocol protocol = SecurityProtocol.parse(text);
        if (!protocol.isBuilt()) {
            throw new IllegalArgumentException(protocol + " is not built yet; only PLAINTEXT is");
        }
        return protocol;
    }

    private static List<Listener> uniquePorts(List<Listener> listeners) {
        Set<Integer> ports = new HashSet<>();
        for (Listener listener : listeners) {
            if (listener.port() != 0 && !ports.add(listener.port())) {
                throw new IllegalArgumentException("port " + listener.port() + " is used twice");
            }
        }
        return listeners;
    }

    /** As in Kafka, a listener on all interfaces is advertised under this machine's name. */
    private static List<Listener> withHosts(List<Listener> advertised) {
        List<Listener> named = new ArrayList<>();
        for (Listener listener : advertised) {
            String host = listener.host().isEmpty() ? machineName() : listener.host();
            named.add(new Listener(listener.name(), listener.protocol(), host, listener.port()));
        }
        return List.copyOf(named);
    }

    private static String machineName() {
        try {
            return InetAddress.getLocalHost().getCanonicalHostName();
        } catch (UnknownHostException e) {
            // The machine does not know its own name; others on it can still connect.
            return "localhost";
        }
    }
}
