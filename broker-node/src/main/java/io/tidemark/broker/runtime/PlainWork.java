package io.tidemark.broker.runtime;

/** Work that comes seldom. */
final class PlainWork extends Work {
    private final Runnable task;
    private final Runnable ifFailed;

    PlainWork(Runnable task, Runnable ifFailed) {
        this.task = task;
        this.ifFailed = ifFailed;
    }

    @Override
    void run() {
        task.run();
    }

    @Override
    void refuse() {
        ifFailed.run();
    }
}
