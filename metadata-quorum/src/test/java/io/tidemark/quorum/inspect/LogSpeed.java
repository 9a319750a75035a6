package io.tidemark.quorum.inspect;

import io.tidemark.model.metadata.QuorumCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Writes a log of a million entries as a busy cluster's (100 topics of 10 partitions on 10 brokers; ISR changes, lost
 * brokers, producer ids, empty entries), for measuring the tool: {@code LogSpeed DIRECTORY [ENTRIES]}. Snapshots are
 * written as often as controllers do by default, after 20 MB.
 */
final class LogSpeed {
    private static final long SEGMENT_BYTES = 8 << 20;
    private static final long SNAPSHOT_BYTES = 20L << 20;

    private LogSpeed() {}

    public static void main(String[] arguments) throws IOException {
        long entries = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1_000_000;
        Random random = new Random(1);
        try (FixtureLog log = new FixtureLog(Path.of(arguments[0]))) {
            log.bootstrap();
            for (int id = 1; id <= 10; id++) {
                log.start(id);
            }
            for (int topic = 0; topic < 100; topic++) {
                List<List<Integer>> assignment = new ArrayList<>();
                for (int i = 0; i < 10; i++) {
                    int first = topic + i;
                    assignment.add(List.of(first % 10 + 1, (first + 1) % 10 + 1, (first + 2) % 10 + 1));
                }
                log.createTopic("topic-" + topic, assignment);
            }
            long sinceSnapshot = 0;
            int incarnation = 2;
            int lost = -1;
            while (log.last() < entries) {
                log.later(20);
                double dice = random.nextDouble();
                if (dice < 0.8) {
                    shrinkOrExpand(log, random);
                } else if (dice < 0.81 && lost < 0) {
                    lost = random.nextInt(10) + 1;
                    log.fence("process gone, connection refused twice and no heartbeat", lost);
                } else if (dice < 0.82 && lost > 0) {
                    log.start(lost, lost + "-" + incarnation++);
                    lost = -1;
                } else if (dice < 0.9) {
                    log.run(new QuorumCommand.NoOp());
                } else {
                    log.committed();
                }
                if ((log.last() & 0x3ff) == 0 && Files.size(log.flush()) > SEGMENT_BYTES) {
                    sinceSnapshot += Files.size(log.roll());
                    if (sinceSnapshot > SNAPSHOT_BYTES) {
                        log.snapshot();
                        sinceSnapshot = 0;
                    }
                }
            }
            log.committed();
        }
    }

    private static void shrinkOrExpand(FixtureLog log, Random random) {
        String topic = "topic-" + random.nextInt(100);
        int partition = random.nextInt(10);
        var state = log.image().topic(topic).partition(partition);
        if (!state.hasLeader()) {
            return;
        }
        List<Integer> isr = new ArrayList<>(List.of(state.leader()));
        for (int replica : state.replicas()) {
            if (replica != state.leader() && log.image().broker(replica).active() && random.nextInt(4) > 0) {
                isr.add(replica);
            }
        }
        log.alterIsr(topic, partition, isr, "replica 7 at 1234567 last caught up 30012 ms ago");
    }
}
