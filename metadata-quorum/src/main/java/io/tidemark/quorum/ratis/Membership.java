package io.tidemark.quorum.ratis;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.ratis.server.RaftServer;

/** Whether this controller still belongs to the quorum and can take part; ends the node if not, unless it stops anyway. */
final class Membership {
    private static final String REMOVED = "it was removed from the quorum";

    private final Supplier<RaftServer.Division> division;
    private final FatalHandler fatal;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile boolean closing;
    private volatile boolean member;
    private volatile BooleanSupplier removed = () -> false;

    Membership(Supplier<RaftServer.Division> division, FatalHandler fatal) {
        this.division = division;
        this.fatal = fatal;
    }

    /** Finds out whether this controller is no member any more; set before the server starts. */
    void removedIf(BooleanSupplier question) {
        removed = question;
    }

    /** From here on the server may shut down without that being a failure. */
    void expectShutdown() {
        closing = true;
    }

    /** The division closed; unless that was asked for, this node can no longer take part. May ask the others why. */
    void divisionClosed() {
        if (!closing && ended.compareAndSet(false, true)) {
            fatal.fatal(removed.getAsBoolean() ? REMOVED : "the quorum's server closed by itself", null);
        }
    }

    /** From here on this controller is a member, unless it was removed. */
    void expectMembership() {
        member = true;
    }

    /**
     * Whether the members as far as this controller has heard are without it. A removed one that is started again may know
     * that much by itself; it would wait for ever for somebody to take it in.
     */
    boolean leftOut() {
        return member
                && !closing
                && division.get().getRaftConf().getCurrentPeers().stream()
                        .noneMatch(peer -> peer.getId().equals(division.get().getId()));
    }

    /** Asks the others, and ends this node if they say so. */
    void endIfRemoved() {
        if (removed.getAsBoolean() && !closing && ended.compareAndSet(false, true)) {
            fatal.fatal(REMOVED, null);
        }
    }
}
