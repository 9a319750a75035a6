package io.tidemark.quorum.core;

import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.MetadataEntry.Cause;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;

/** The words with which the metadata log says why an entry exists. */
final class Causes {
    private Causes() {}

    static Cause controller(String kind, String reason) {
        return new Cause(kind, -1, -1, "", reason);
    }

    static Cause broker(String kind, BrokerRef ref, String reason) {
        return new Cause(kind, ref.brokerId(), ref.brokerEpoch(), "", reason);
    }

    static Cause client(String kind, String client) {
        return new Cause(kind, -1, -1, client, "");
    }

    static String stale(BrokerRef ref, BrokerState registered) {
        return "broker " + ref.brokerId() + " sent epoch " + ref.brokerEpoch() + ", registered is "
                + (registered == null ? "none" : registered.epoch());
    }
}
