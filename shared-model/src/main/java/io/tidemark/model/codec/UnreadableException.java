package io.tidemark.model.codec;

/** Bytes that this version cannot read: damaged, or written by a newer version with kinds or fields unknown here. */
public final class UnreadableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UnreadableException(String message) {
        super(message);
    }

    public UnreadableException(String message, Throwable cause) {
        super(message, cause);
    }
}
