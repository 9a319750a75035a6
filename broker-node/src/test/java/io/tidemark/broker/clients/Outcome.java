package io.tidemark.broker.clients;

/** What became of one step of work of one client; {@code detail} is empty if it works. */
record Outcome(Kind kind, String detail) {
    enum Kind {
        WORKS,
        /** The client has no such thing. */
        LACKS,
        FAILED
    }

    static final Outcome WORKS = new Outcome(Kind.WORKS, "");

    static Outcome lacks(String why) {
        return new Outcome(Kind.LACKS, why);
    }

    static Outcome failed(String why) {
        return new Outcome(Kind.FAILED, why);
    }
}
