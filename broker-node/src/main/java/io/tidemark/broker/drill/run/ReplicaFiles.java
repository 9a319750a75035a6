package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.ReadRecord;
import io.tidemark.broker.log.BatchHeader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;

/**
 * Compares the segment files of a partition's replicas, batch by batch, up to the high watermark. Where a segment ends
 * means nothing: each replica rolls its own. Kafka's files have the same form.
 */
final class ReplicaFiles {
    private static final String MARKS = "replication-offset-checkpoint";

    private ReplicaFiles() {}

    /** A batch where it lies, from the first segment on. */
    private record Stored(long base, long next, byte[] bytes) {}

    /**
     * Up to where the partition is known to have been committed: the largest high watermark that one of the brokers'
     * checkpoints has, which may be old or missing, and what a consumer was given. 0 if nothing is known.
     */
    static long mark(Map<Integer, Path> directories, TopicPartition partition, List<ReadRecord> readBack) {
        String prefix = partition.topic() + " " + partition.partition() + " ";
        long mark = readBack.stream().mapToLong(ReadRecord::offset).max().orElse(-1) + 1;
        for (Path directory : directories.values()) {
            for (String line : lines(directory.resolve(MARKS))) {
                if (line.startsWith(prefix)) {
                    mark = Math.max(
                            mark, Long.parseLong(line.substring(prefix.length()).strip()));
                }
            }
        }
        return mark;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * What is different between the replicas, one line for each that differs from the first.
     *
     * @param directories data directories of the replicas that are in sync, by broker
     * @param mark offset up to which, exclusive, they must be the same
     */
    static List<String> differences(Map<Integer, Path> directories, TopicPartition partition, long mark) {
        List<String> differences = new ArrayList<>();
        Map<Integer, List<Stored>> replicas = new TreeMap<>();
        directories.forEach(
                (broker, directory) -> replicas.put(broker, read(directory.resolve(partition.toString()), mark)));
        // Retention may have taken more from one than from another.
        long start = replicas.values().stream()
                .mapToLong(batches -> batches.isEmpty() ? 0 : batches.get(0).base())
                .max()
                .orElse(0);
        Integer first = null;
        List<Stored> model = List.of();
        for (Map.Entry<Integer, List<Stored>> replica : replicas.entrySet()) {
            List<Stored> batches = replica.getValue().stream()
                    .filter(batch -> batch.base() >= start)
                    .toList();
            if (first == null) {
                first = replica.getKey();
                model = batches;
                long end =
                        batches.isEmpty() ? 0 : batches.get(batches.size() - 1).next();
                if (end < mark) {
                    differences.add(partition + ": broker " + first + " ends at " + end + ", below the mark " + mark);
                }
                continue;
            }
            int other = first;
            difference(model, batches)
                    .ifPresent(what -> differences.add(
                            partition + ": broker " + replica.getKey() + " differs from broker " + other + " " + what));
        }
        return differences;
    }

    private static Optional<String> difference(List<Stored> left, List<Stored> right) {
        for (int i = 0; i < Math.min(left.size(), right.size()); i++) {
            if (!Arrays.equals(left.get(i).bytes(), right.get(i).bytes())) {
                return Optional.of("in the batch at offset " + left.get(i).base());
            }
        }
        return left.size() == right.size()
                ? Optional.empty()
                : Optional.of("in length: " + right.size() + " batches for " + left.size());
    }

    /** Batches that begin below the mark. */
    private static List<Stored> read(Path directory, long mark) {
        List<Stored> batches = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path segment : files.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .toList()) {
                read(ByteBuffer.wrap(Files.readAllBytes(segment)), mark, batches);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return batches;
    }

    private static void read(ByteBuffer segment, long mark, List<Stored> batches) {
        int at = 0;
        while (segment.limit() - at >= BatchHeader.SIZE) {
            BatchHeader header = BatchHeader.read(segment, at);
            boolean whole = header.isPlausible() && segment.limit() - at >= header.sizeInBytes();
            if (!whole || header.baseOffset() >= mark) {
                return;
            }
            byte[] bytes = new byte[header.sizeInBytes()];
            segment.get(at, bytes);
            batches.add(new Stored(header.baseOffset(), header.nextOffset(), bytes));
            at += header.sizeInBytes();
        }
    }
}
