package io.tidemark.broker.net;

/** Takes requests in their order of arrival per connection, on the connection's loop; must not block. */
@FunctionalInterface
public interface CallHandler {
    /**
     * Answers the call now or later. An exception thrown here is logged and answered with the error that Kafka's classes
     * make of it.
     */
    void handle(Call call);
}
