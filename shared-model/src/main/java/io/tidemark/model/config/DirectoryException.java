package io.tidemark.model.config;

/** A data directory that this node must not or cannot use; the message names it and says what to do. */
public final class DirectoryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public DirectoryException(String message) {
        super(message);
    }

    public DirectoryException(String message, Throwable cause) {
        super(message, cause);
    }
}
