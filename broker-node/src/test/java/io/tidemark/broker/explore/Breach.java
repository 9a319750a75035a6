package io.tidemark.broker.explore;

/** A promise that is not kept. */
final class Breach extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Breach(String message) {
        super(message);
    }
}
