package io.tidemark.broker.runtime;

/**
 * What a loop has fetched from one leader since it began to.
 *
 * @param host and {@code port} of the leader's listener; "" and -1 while that is not known
 */
public record FetchedFrom(int leader, String host, int port, long requests, long bytes) {}
