package io.tidemark.broker.drill.bench;

import io.tidemark.broker.drill.Servers;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A broker is killed and started again with much data; back means that it is in every ISR. */
final class Restart implements AutoCloseable {
    private static final int PARTITIONS = 100;
    private static final int RECORD_SIZE = 1000;
    private static final int VICTIM = 1;
    private static final int LIMIT_S = 120;
    private static final int AGREEING_ANSWERS = 20;

    private final String bootstrap;
    private final Servers servers;
    private final String topic;
    private final Topics topics;
    private long written;

    /** Creates the topic, which must not exist. */
    Restart(String bootstrap, Servers servers, String topic) {
        this.bootstrap = bootstrap;
        this.servers = servers;
        this.topic = topic;
        this.topics = new Topics(bootstrap);
        topics.createReplicated(topic, PARTITIONS);
    }

    /**
     * Fills the topic up to so many bytes, which every broker then holds, kills a broker, waits until no ISR has it, and
     * starts it. Returns ms from the start command until all replicas are in sync.
     */
    double run(long bytes) {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Throughput.settings(bootstrap), new ByteArraySerializer(), new ByteArraySerializer())) {
            Throughput.write(producer, topic, RECORD_SIZE, bytes - written);
        }
        written = bytes;
        servers.signal(VICTIM, "KILL");
        servers.awaitGone(VICTIM);
        // Any broker may answer, and one that lags behind would be believed afterwards that the victim is in sync
        // again.
        for (int i = 0; i < AGREEING_ANSWERS; i++) {
            topics.await(
                    topic,
                    "no ISR with broker " + VICTIM,
                    LIMIT_S,
                    info -> info.isr().stream().noneMatch(node -> node.id() == VICTIM));
        }
        long start = System.nanoTime();
        CompletableFuture<Void> starting = CompletableFuture.runAsync(() -> servers.start(VICTIM));
        topics.await(
                topic,
                "broker " + VICTIM + " in every ISR",
                LIMIT_S,
                info -> info.isr().stream().map(Node::id).anyMatch(id -> id == VICTIM));
        double ms = (System.nanoTime() - start) / 1e6;
        starting.join();
        return ms;
    }

    @Override
    public void close() {
        topics.close();
    }
}
