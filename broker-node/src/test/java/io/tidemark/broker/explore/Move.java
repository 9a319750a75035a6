package io.tidemark.broker.explore;

/** One event of the whole cluster, packed: its kind, the broker or message that it is about, and one more number. */
final class Move {
    /** What can happen. */
    enum Kind {
        /** Broker learns the image at that place. */
        LEARN,
        /** Broker fetches and gets the answer. */
        FETCH,
        /** Broker fetches and does not get the answer. */
        FETCH_UNANSWERED,
        /** Broker sends a fetch that is held up. */
        FETCH_LATE,
        /** A fetch that was held up arrives; nobody waits for its answer. */
        FETCH_ARRIVES,
        APPEND,
        TICK,
        LAPSE,
        /** Broker loses power; that many records are left. */
        POWER_LOSS,
        CRASH,
        /** Broker's orderly stop: the controllers are told, and the process ends with its marker. */
        STOP,
        /** Broker that is down starts and is registered. */
        START,
        FENCE,
        /** Two brokers by one command; the second is the other number. */
        FENCE_BOTH,
        UNFENCE,
        ELECT_PREFERRED,
        /** The min ISR becomes that. */
        MIN_ISR,
        /** A proposal arrives and is decided. */
        DECIDE,
        /** The same, and it will arrive again. */
        DECIDE_NOW_AND_AGAIN,
        /** The sender of a proposal hears that there is no answer; the proposal stays on its way. */
        GIVE_UP,
        /** A message will never arrive; a sender that waits for an answer hears that there is none. */
        LOSE,
        /** The controllers' answer arrives. */
        ANSWER
    }

    private static final Kind[] KINDS = Kind.values();

    private Move() {}

    static int of(Kind kind, int what, int more) {
        return kind.ordinal() | what << 8 | more << 16;
    }

    static Kind kind(int move) {
        return KINDS[move & 0xff];
    }

    static int what(int move) {
        return move >>> 8 & 0xff;
    }

    static int more(int move) {
        return move >>> 16;
    }
}
