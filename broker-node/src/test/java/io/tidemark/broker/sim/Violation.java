package io.tidemark.broker.sim;

/** Something the cluster promises does not hold. */
public final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String check;

    /** @param check names the promise, such as "I3" */
    public Violation(String check, String message) {
        super(check + ": " + message);
        this.check = check;
    }

    public String check() {
        return check;
    }
}
