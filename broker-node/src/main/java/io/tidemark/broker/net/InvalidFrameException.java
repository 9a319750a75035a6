package io.tidemark.broker.net;

/** The peer sent what cannot be a frame or a request; the connection is closed with this message in the log. */
public final class InvalidFrameException extends Exception {
    private static final long serialVersionUID = 1L;

    public InvalidFrameException(String message) {
        super(message);
    }

    public InvalidFrameException(String message, Throwable cause) {
        super(message, cause);
    }
}
