package io.tidemark.broker.api;

import io.tidemark.model.metadata.ErrorCode;
import org.apache.kafka.common.protocol.Errors;

/** The quorum's answers in the words of the Kafka protocol, whose numbers they share. */
final class ReplyErrors {
    private ReplyErrors() {}

    /** A void entry took no effect and was tried again in vain: to the client that is a request without an outcome. */
    static Errors of(ErrorCode code) {
        return code == ErrorCode.VOID_ENTRY ? Errors.REQUEST_TIMED_OUT : Errors.forCode((short) code.code());
    }
}
