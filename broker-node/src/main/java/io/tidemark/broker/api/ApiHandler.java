package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;

/** Serves the requests of one Kafka API; runs on the connection's loop and must not block. */
@FunctionalInterface
public interface ApiHandler {
    /** Answers the call, now or later. */
    void handle(Call call);
}
