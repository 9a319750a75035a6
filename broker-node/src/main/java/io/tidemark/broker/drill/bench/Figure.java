package io.tidemark.broker.drill.bench;

/** What is measured, with its unit and the mark: the limit of the ratio of Tidemark's value to Kafka's. */
enum Figure {
    THROUGHPUT_1000("acks=all RF 3, 1000 B", "MB/s", Mark.atLeast(1.5)),
    CPU_1000("  CPU of all servers", "s/GB", Mark.atMost(0.4)),
    THROUGHPUT_100("acks=all RF 3, 100 B", "records/s", Mark.atLeast(1.5)),
    CPU_100("  CPU of all servers", "s/GB", Mark.atMost(0.4)),
    LATENCY_P50("1,000 records/s, linger 0: p50", "ms", Mark.atMost(0.7)),
    LATENCY_P99("  p99", "ms", Mark.atMost(0.7)),
    LATENCY_P999("  p99.9", "ms", Mark.atMost(1.0)),
    LATENCY_CPU("  CPU of all servers", "% of a core", Mark.NONE),
    CONSUME("one consumer (assign), warm", "MB/s", Mark.atLeast(1.0)),
    CONSUME_CPU("  CPU of the brokers", "s/GB", Mark.atMost(0.7)),
    BROKER_MEMORY("resident after the work: 3 brokers", "MB", Mark.atMost(0.7)),
    CONTROLLER_MEMORY("  3 controllers", "MB", Mark.atMost(0.7)),
    KILL_GAP("kill -9 of the leader: no ack for", "ms", Mark.atMost(0.15)),
    KILL_LOST("  lost", "records", Mark.ZERO),
    KILL_DUPLICATED("  duplicated", "records", Mark.ZERO),
    PAUSE_GAP("SIGSTOP of the leader: no ack for", "ms", Mark.atMost(0.45)),
    PAUSE_LOST("  lost", "records", Mark.ZERO),
    PAUSE_DUPLICATED("  duplicated", "records", Mark.ZERO),
    TERM_GAP("SIGTERM of the leader: no ack for", "ms", Mark.atMost(1.0)),
    TERM_LOST("  lost", "records", Mark.ZERO),
    TERM_DUPLICATED("  duplicated", "records", Mark.ZERO),
    CONTROLLER_GAP("kill -9 of the acting controller: no new topic for", "ms", Mark.atMost(0.5)),
    PARTITIONS_COMMAND("1,000 partitions RF 3: create answered", "ms", Mark.NONE),
    PARTITIONS("  a write acked in each", "ms", Mark.atMost(0.5)),
    IDLE_CPU("idle with 1,000 partitions: CPU in 20 s", "s", Mark.atMost(1.2)),
    FORMAT("cold start of six: formatted", "ms", Mark.NONE),
    COLD_START("  first acked write", "ms", Mark.atMost(0.5)),
    RESTART_SMALL("restart after kill -9, 100 partitions, a quarter of --gb", "ms", Mark.atMost(0.5)),
    RESTART_LARGE("  all of --gb", "ms", Mark.atMost(0.5)),
    BARE_GROWING("bare sockets and files, growing", "s/GB", Mark.NONE),
    BARE_OVERWRITE("  overwritten", "s/GB", Mark.NONE);

    private final String title;
    private final String unit;
    private final Mark mark;

    Figure(String title, String unit, Mark mark) {
        this.title = title;
        this.unit = unit;
        this.mark = mark;
    }

    /** An indented title belongs to the one above it. */
    String title() {
        return title;
    }

    String unit() {
        return unit;
    }

    Mark mark() {
        return mark;
    }
}
