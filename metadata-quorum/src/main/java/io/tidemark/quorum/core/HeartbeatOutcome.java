package io.tidemark.quorum.core;

import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;

/**
 * What a broker is told at once, and what its sign of life leads to.
 *
 * @param error NONE; NOT_CONTROLLER, BROKER_ID_NOT_REGISTERED or STALE_BROKER_EPOCH, and then nothing else holds
 * @param caughtUp it has applied the entry that registered it
 * @param shouldShutDown it may stop now: it is fenced, and every active broker knows who leads instead (R7.11, R7.12)
 * @param toSubmit a command for the log, to be reported back to {@link BrokerLiveness#finished}; or null
 */
public record HeartbeatOutcome(
        ErrorCode error, boolean caughtUp, boolean fenced, boolean shouldShutDown, QuorumCommand toSubmit) {

    static HeartbeatOutcome refused(ErrorCode error) {
        return new HeartbeatOutcome(error, false, false, false, null);
    }
}
