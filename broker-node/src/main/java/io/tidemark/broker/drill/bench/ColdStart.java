package io.tidemark.broker.drill.bench;

import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.Servers;
import io.tidemark.broker.drill.SteadyWriter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Formats and starts a cluster that is not there yet, by its own script, until a write to three replicas is acked. */
final class ColdStart {
    private static final String TOPIC = "cold-start";

    private final String bootstrap;
    private final Servers servers;

    ColdStart(String bootstrap, Servers servers) {
        this.bootstrap = bootstrap;
        this.servers = servers;
    }

    /** Both in ms from the beginning. */
    record Outcome(double formatted, double firstAck) {}

    /** Leaves the cluster running. */
    Outcome run() {
        long start = System.nanoTime();
        servers.script("format");
        double formatted = (System.nanoTime() - start) / 1e6;
        CompletableFuture<Void> up = CompletableFuture.runAsync(() -> servers.script("up"));
        try (Topics topics = new Topics(bootstrap)) {
            topics.createReplicated(TOPIC, 1);
        }
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                SteadyWriter.impatient(bootstrap), new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(TOPIC, new byte[100])).get();
        } catch (ExecutionException e) {
            throw new DrillException("the first write failed: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DrillException("interrupted", e);
        }
        double firstAck = (System.nanoTime() - start) / 1e6;
        up.join();
        return new Outcome(formatted, firstAck);
    }
}
