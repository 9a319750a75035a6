package io.tidemark.broker.sim;

import io.tidemark.broker.log.BatchHeader;
import io.tidemark.broker.log.LogName;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** The batches of one log, read from its files behind its back, as far as they were read; grows with the log. */
final class LogContent {
    private static final String SUFFIX = ".log";

    private final Machine machine;
    private final LogName name;
    private final TreeMap<Long, PartitionHistory.Batch> batches = new TreeMap<>();
    private Path segment;
    private int position;
    private long end;

    LogContent(Machine machine, LogName name, long start) {
        this.machine = machine;
        this.name = name;
        this.end = start;
    }

    long end() {
        return end;
    }

    PartitionHistory.Batch at(long base) {
        return batches.get(base);
    }

    /** Reads on up to {@code target}; returns what is new. */
    List<PartitionHistory.Batch> readTo(long target) {
        List<PartitionHistory.Batch> news = new ArrayList<>();
        while (end < target) {
            if (segment == null) {
                segment = segmentOf(end);
                position = 0;
            }
            ByteBuffer file = machine.file(segment);
            if (file == null || file.limit() - position < BatchHeader.SIZE) {
                Path next = segmentOf(end);
                if (next.equals(segment)) {
                    throw new Violation(
                            "log", "broker " + machine.id() + " " + name + " ends at " + end + ", not at " + target);
                }
                segment = next;
                position = 0;
                continue;
            }
            BatchHeader header = BatchHeader.read(file, position);
            if (header.nextOffset() > end) {
                if (!BatchHeader.checksumMatches(file, position, header.sizeInBytes())) {
                    throw new Violation("log", "broker " + machine.id() + " " + name + " is damaged at " + end);
                }
                PartitionHistory.Batch batch = batch(header, file.getInt(position + 17));
                batches.put(batch.base(), batch);
                news.add(batch);
                end = batch.next();
            }
            position += header.sizeInBytes();
        }
        return news;
    }

    private static PartitionHistory.Batch batch(BatchHeader header, int checksum) {
        return new PartitionHistory.Batch(
                header.baseOffset(),
                header.nextOffset(),
                header.leaderEpoch(),
                checksum,
                header.producerId(),
                header.producerEpoch(),
                header.baseSequence(),
                header.hasProducerId() ? header.lastSequence() : -1);
    }

    private Path segmentOf(long offset) {
        Path directory = Path.of(name.toString());
        long best = -1;
        for (String file : machine.names(directory)) {
            if (file.endsWith(SUFFIX)) {
                long base = Long.parseLong(file.substring(0, file.length() - SUFFIX.length()));
                if (base <= offset && base > best) {
                    best = base;
                }
            }
        }
        return directory.resolve(String.format("%020d%s", Math.max(0, best), SUFFIX));
    }
}
