package io.tidemark.broker.drill.bench;

import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.SteadyWriter;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A topic with very many partitions: available when each of them has acked a write of acks=all. */
final class ManyPartitions {
    private final String bootstrap;

    ManyPartitions(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    /** Both in ms from the request to create the topic. */
    record Outcome(double created, double available) {}

    Outcome run(String topic, int partitions) {
        try (Topics topics = new Topics(bootstrap);
                KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                        SteadyWriter.impatient(bootstrap), new ByteArraySerializer(), new ByteArraySerializer())) {
            // The clients' own start is not what is measured.
            topics.createReplicated(topic + "-first", 1);
            write(producer, topic + "-first", 1);
            long start = System.nanoTime();
            topics.create(topic, partitions, 3, Map.of("min.insync.replicas", "2"));
            double created = (System.nanoTime() - start) / 1e6;
            write(producer, topic, partitions);
            return new Outcome(created, (System.nanoTime() - start) / 1e6);
        }
    }

    private static void write(KafkaProducer<byte[], byte[]> producer, String topic, int partitions) {
        AtomicReference<Exception> failure = new AtomicReference<>();
        for (int partition = 0; partition < partitions; partition++) {
            producer.send(new ProducerRecord<>(topic, partition, null, new byte[100]), (metadata, exception) -> {
                if (exception != null) {
                    failure.compareAndSet(null, exception);
                }
            });
        }
        producer.flush();
        if (failure.get() != null) {
            throw new DrillException("a record was not acked: " + failure.get(), failure.get());
        }
    }
}
