package io.tidemark.broker.drill;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;

/** What Kafka's admin client is answered. */
public final class Answers {
    private Answers() {}

    /** Throws DrillException if nothing comes within so many seconds, or a failure. */
    public static <T> T within(int seconds, KafkaFuture<T> future) {
        try {
            return future.get(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DrillException("interrupted", e);
        } catch (ExecutionException | TimeoutException | KafkaException e) {
            throw new DrillException("the cluster does not answer: " + e.getMessage(), e);
        }
    }
}
