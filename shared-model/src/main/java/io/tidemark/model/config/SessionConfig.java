package io.tidemark.model.config;

/**
 * How a broker shows that it is alive (B5).
 *
 * @param heartbeatIntervalMs at most a quarter of the session, so that one lost heartbeat fences nobody
 * @param sessionTimeoutMs time without a heartbeat after which the broker is fenced
 */
public record SessionConfig(long heartbeatIntervalMs, long sessionTimeoutMs) {
    static SessionConfig read(ConfigReader reader) {
        long heartbeat = reader.number("broker.heartbeat.interval.ms", 250, 10, Integer.MAX_VALUE);
        long session = reader.number("broker.session.timeout.ms", 2_500, 40, Integer.MAX_VALUE);
        if (heartbeat > session / 4) {
            reader.problem("broker.heartbeat.interval.ms = " + heartbeat
                    + " is more than a quarter of broker.session.timeout.ms = " + session);
        }
        return new SessionConfig(heartbeat, session);
    }
}
