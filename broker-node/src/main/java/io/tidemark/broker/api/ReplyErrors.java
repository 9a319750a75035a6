package io.tidemark.broker.api;

import io.tidemark.model.metadata.ErrorCode;
import org.apache.kafka.common.protocol.Errors;

/** The quorum's answers in the words of the Kafka protocol, whose numbers they share. */
final class ReplyErrors {
    private ReplyErrors() {}

    /**
     * A void entry took no effect and was tried again in vain, unfinished work was not finished in time: to the client both
     * are a request without an outcome.
     */
    static Errors of(ErrorCode code) {
        boolean open = code == ErrorCode.VOID_ENTRY || code == ErrorCode.UNFINISHED;
        return open ? Errors.REQUEST_TIMED_OUT : Errors.forCode((short) code.code());
    }
}
