package io.tidemark.broker.drill;

/** The drill could not go on; the message says what was waited for and what was seen. */
public final class DrillException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public DrillException(String message) {
        super(message);
    }

    public DrillException(String message, Throwable cause) {
        super(message, cause);
    }
}
