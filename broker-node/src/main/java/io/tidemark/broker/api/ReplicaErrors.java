package io.tidemark.broker.api;

import io.tidemark.broker.replica.ReplicaError;
import org.apache.kafka.common.protocol.Errors;

/** A replica's errors on the wire; the names are the same. */
final class ReplicaErrors {
    private ReplicaErrors() {}

    static Errors onWire(ReplicaError error) {
        return error == ReplicaError.OTHER ? Errors.UNKNOWN_SERVER_ERROR : Errors.valueOf(error.name());
    }
}
