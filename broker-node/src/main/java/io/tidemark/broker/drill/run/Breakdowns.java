package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.DrillException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Notes the threads of the runner that break down: what they would have seen or written is missing in any verdict. */
final class Breakdowns implements Thread.UncaughtExceptionHandler {
    private final Queue<String> words = new ConcurrentLinkedQueue<>();

    /** Of all threads that have no handler of their own, from now on. */
    static Breakdowns watch() {
        Breakdowns breakdowns = new Breakdowns();
        Thread.setDefaultUncaughtExceptionHandler(breakdowns);
        return breakdowns;
    }

    @Override
    public void uncaughtException(Thread thread, Throwable e) {
        words.add(thread.getName() + ": " + e);
        e.printStackTrace();
    }

    /** Throws DrillException if there was any. */
    void check() {
        if (!words.isEmpty()) {
            throw new DrillException("the runner itself broke down: " + String.join("; ", words));
        }
    }
}
