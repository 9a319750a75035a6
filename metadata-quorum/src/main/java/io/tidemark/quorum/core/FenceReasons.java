package io.tidemark.quorum.core;

import java.util.Set;

/** Why brokers are fenced, in the words that the metadata log keeps and that its readers tell apart. */
public final class FenceReasons {
    /** R7.20: nothing was heard of it for a session. */
    public static final String SESSION_RAN_OUT = "no heartbeat within the session timeout";

    /** B5: known without waiting for the session. */
    static final String PROCESS_GONE = "process gone, connection refused twice and no heartbeat";

    static final String SHUTDOWN_COMPLETE = "controlled shutdown is complete";
    static final String SHUTDOWN_OF_NO_LEADER = "controlled shutdown of a broker that leads nothing";
    static final String ASKED_FOR = "the broker asked for it";

    private static final Set<String> ORDERLY = Set.of(SHUTDOWN_COMPLETE, SHUTDOWN_OF_NO_LEADER, ASKED_FOR);

    private FenceReasons() {}

    /** Whether the broker itself wanted it, rather than being lost. */
    public static boolean isOrderly(String reason) {
        return ORDERLY.contains(reason);
    }
}
