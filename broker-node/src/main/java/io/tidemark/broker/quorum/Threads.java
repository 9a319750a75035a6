package io.tidemark.broker.quorum;

import java.util.concurrent.ThreadFactory;

/** Named daemon threads: none of them keeps a process alive that is to end. */
final class Threads {
    private Threads() {}

    static ThreadFactory daemon(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }
}
