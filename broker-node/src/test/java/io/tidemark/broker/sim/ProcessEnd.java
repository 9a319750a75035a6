package io.tidemark.broker.sim;

/** A process dies in the middle of what it does; an Error, so that nothing in it can go on. */
final class ProcessEnd extends Error {
    private static final long serialVersionUID = 1L;

    private final transient Runnable fate;

    /** @param fate what becomes of the machine, to be run when the stack is unwound */
    ProcessEnd(Runnable fate) {
        super("the process ends here", null, false, false);
        this.fate = fate;
    }

    void finish() {
        fate.run();
    }
}
