package io.tidemark.broker.app;

import io.tidemark.broker.runtime.QuorumPort;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Presents this incarnation to the quorum until it is accepted or refused for good (R7.1). */
final class Registration {
    private static final Logger LOG = LoggerFactory.getLogger(Registration.class);
    private static final long RETRY_MS = 100;

    private Registration() {}

    /** Blocks; returns the broker epoch. Throws IOException with the reason if the quorum will never accept. */
    static long register(QuorumPort quorum, QuorumCommand.RegisterBroker command, BooleanSupplier stopped)
            throws IOException, InterruptedException {
        ErrorCode said = ErrorCode.NONE;
        while (!stopped.getAsBoolean()) {
            try {
                QuorumReply.Answer answer =
                        quorum.submit(command).toCompletableFuture().get();
                if (answer.reply() instanceof QuorumReply.Registered) {
                    return answer.brokerEpoch();
                }
                QuorumReply.Refused refused = (QuorumReply.Refused) answer.reply();
                if (!mayPass(refused.error())) {
                    throw new IOException("the quorum refuses this broker: " + refused.message());
                }
                if (refused.error() != said) {
                    said = refused.error();
                    LOG.warn("registration has to wait: {} ({})", refused.message(), refused.error());
                }
            } catch (ExecutionException e) {
                // The same incarnation may ask again: it keeps its epoch if the first attempt was accepted (R7.2).
                LOG.warn(
                        "no answer to the registration yet, trying again: {}",
                        e.getCause().toString());
            }
            TimeUnit.MILLISECONDS.sleep(RETRY_MS);
        }
        throw new IOException("stopped before the quorum accepted this broker");
    }

    private static boolean mayPass(ErrorCode error) {
        return error == ErrorCode.DUPLICATE_BROKER_REGISTRATION
                || error == ErrorCode.VOID_ENTRY
                || error == ErrorCode.NOT_CONTROLLER;
    }
}
