package io.tidemark.broker.net;

/**
 * Limits of the network.
 *
 * @param loops event loops, 1 or more
 * @param maxRequestBytes largest frame accepted from a client ({@code socket.request.max.bytes})
 * @param maxOutstandingCalls requests of one connection that may wait for their answer to be sent, 1 or more; then the
 *     connection is not read
 * @param maxOutstandingBytes bound of the bytes of those requests and of the buffers of their answers; the request that
 *     passes it is still taken
 */
public record NetSettings(int loops, int maxRequestBytes, int maxOutstandingCalls, long maxOutstandingBytes) {
    /** Kafka's request limit, and bounds that no client of the ordinary kind meets. */
    public static NetSettings defaults(int loops) {
        return new NetSettings(loops, 100 << 20, 128, 16L << 20);
    }

    public NetSettings {
        if (loops < 1 || maxRequestBytes < 1 || maxOutstandingCalls < 1 || maxOutstandingBytes < 1) {
            throw new IllegalArgumentException("network limits must be positive");
        }
    }
}
