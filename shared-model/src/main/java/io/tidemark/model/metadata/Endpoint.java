package io.tidemark.model.metadata;

/** Where a broker's listener of that name is reached by others (its advertised address). */
public record Endpoint(String listener, String host, int port) {}
