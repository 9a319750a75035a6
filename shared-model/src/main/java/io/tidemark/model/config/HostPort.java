package io.tidemark.model.config;

/** A host and a port as written in configuration; an IPv6 address stands in brackets. */
public record HostPort(String host, int port) {

    /** Reads {@code host:port}, the host possibly empty; throws IllegalArgumentException on anything else. */
    public static HostPort parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("expected host:port, got '" + text + "'");
        }
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0 || host.indexOf('/') >= 0) {
            throw new IllegalArgumentException("expected host:port, got '" + text + "'");
        }
        return new HostPort(host, port(text.substring(colon + 1)));
    }

    private static int port(String text) {
        try {
            int port = Integer.parseInt(text);
            if (port >= 0 && port <= 65535) {
                return port;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("expected a port from 0 to 65535, got '" + text + "'", e);
        }
        throw new IllegalArgumentException("expected a port from 0 to 65535, got '" + text + "'");
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
