package io.tidemark.broker.drill;

/** The drill could not go on; the message says what was waited for and what was seen. */
final class DrillException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DrillException(String message) {
        super(message);
    }

    DrillException(String message, Throwable cause) {
        super(message, cause);
    }
}
