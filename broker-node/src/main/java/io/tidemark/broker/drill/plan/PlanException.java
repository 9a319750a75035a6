package io.tidemark.broker.drill.plan;

/** A drill's file says something that cannot be done; the message names the file and the line. */
public final class PlanException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param line from 1 */
    public PlanException(String file, int line, String what) {
        super(file + ", line " + line + ": " + what);
    }
}
