package io.tidemark.model.config;

/**
 * How followers fetch and when they fall out of the ISR.
 *
 * @param lagTimeMaxMs a follower not caught up for longer leaves the ISR (B7)
 * @param fetchWaitMaxMs longest wait of a follower's fetch at the leader; at most half of the lag limit
 * @param fetchMinBytes least bytes for which a waiting follower's fetch is answered
 * @param fetchMaxBytes per partition; one batch is always sent
 * @param fetchResponseMaxBytes per answer; one batch is always sent
 * @param fetchBackoffMs pause of a partition after a failed fetch (R6.12)
 * @param highWatermarkCheckpointIntervalMs between writes of the high watermarks (R3.15)
 */
public record ReplicationConfig(
        long lagTimeMaxMs,
        int fetchWaitMaxMs,
        int fetchMinBytes,
        int fetchMaxBytes,
        int fetchResponseMaxBytes,
        long fetchBackoffMs,
        long highWatermarkCheckpointIntervalMs) {

    static ReplicationConfig read(ConfigReader reader) {
        long lag = reader.number("replica.lag.time.max.ms", 30_000, 1, Integer.MAX_VALUE);
        int wait = reader.integer("replica.fetch.wait.max.ms", 500, 1, Integer.MAX_VALUE);
        if (wait > lag / 2) {
            reader.problem("replica.fetch.wait.max.ms = " + wait + " is more than half of replica.lag.time.max.ms = "
                    + lag + ": idle followers would leave the ISR");
        }
        return new ReplicationConfig(
                lag,
                wait,
                reader.integer("replica.fetch.min.bytes", 1, 1, Integer.MAX_VALUE),
                reader.integer("replica.fetch.max.bytes", 1_048_576, 1, Integer.MAX_VALUE),
                reader.integer("replica.fetch.response.max.bytes", 10_485_760, 1, Integer.MAX_VALUE),
                reader.number("replica.fetch.backoff.ms", 1_000, 0, Integer.MAX_VALUE),
                reader.number("replica.high.watermark.checkpoint.interval.ms", 5_000, 1, Integer.MAX_VALUE));
    }
}
