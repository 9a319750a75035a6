package io.tidemark.broker.peer;

/**
 * How a connection to another broker behaves.
 *
 * @param clientId what the other side sees in its logs
 * @param connectTimeoutMs for the TCP connection, 1 or more
 * @param requestTimeoutMs for each answer, from the sending on, 1 or more; it must exceed what the request asks the other
 *     side to wait
 * @param maxResponseBytes largest frame accepted
 */
public record PeerSettings(String clientId, int connectTimeoutMs, int requestTimeoutMs, int maxResponseBytes) {}
