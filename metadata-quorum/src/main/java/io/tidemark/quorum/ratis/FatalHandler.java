package io.tidemark.quorum.ratis;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens when this node can no longer take part: a failed log, a failed apply, a division that closed by itself.
 * Ratis keeps such a process alive as a zombie that refuses everything; here it ends.
 */
@FunctionalInterface
public interface FatalHandler {
    /** Must not return control to a process that goes on serving. {@code cause} may be null. */
    void fatal(String what, Throwable cause);

    /** Ends the process with that status at once: shutdown hooks could wait for what has failed. */
    static FatalHandler halt(int status) {
        return (what, cause) -> {
            Logger log = LoggerFactory.getLogger(FatalHandler.class);
            log.error("this controller stops: {}", what, cause);
            System.err.println("this controller stops: " + what + (cause == null ? "" : ": " + cause));
            Runtime.getRuntime().halt(status);
        };
    }
}
