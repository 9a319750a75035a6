package io.tidemark.model.metadata;

import java.util.List;

/**
 * One registered broker. Immutable.
 *
 * @param epoch index of the entry that registered this incarnation (R1.8, R7.95)
 * @param incarnationId random id of the broker process
 * @param directoryIds ids of its data directories, from their meta.properties
 * @param bootEvidence kernel boot and mount the data directory was used under, "" if unknown (B1)
 * @param endpoints where it listens; the first is the listener that other brokers use
 * @param rack "" if none
 * @param fenced not eligible as a leader and not to be used by clients
 * @param shutdownIndex entry at which its controlled shutdown began, or -1 (R7.12)
 * @param minLevel lowest and {@code maxLevel} highest metadata level it can read
 */
public record BrokerState(
        int id,
        long epoch,
        String incarnationId,
        List<String> directoryIds,
        List<Endpoint> endpoints,
        String rack,
        String bootEvidence,
        int minLevel,
        int maxLevel,
        boolean fenced,
        long shutdownIndex) {

    public BrokerState {
        directoryIds = List.copyOf(directoryIds);
        endpoints = List.copyOf(endpoints);
    }

    public boolean shuttingDown() {
        return shutdownIndex >= 0;
    }

    /** R1.9: registered, not fenced and not in controlled shutdown. */
    public boolean active() {
        return !fenced && !shuttingDown();
    }

    /** The endpoint of that listener, or null. */
    public Endpoint endpoint(String listener) {
        for (Endpoint endpoint : endpoints) {
            if (endpoint.listener().equals(listener)) {
                return endpoint;
            }
        }
        return null;
    }

    /** Where other brokers and the acting controller reach it: the first endpoint (B5); null if it has none. */
    public Endpoint interBrokerEndpoint() {
        return endpoints.isEmpty() ? null : endpoints.get(0);
    }

    BrokerState withFenced(boolean value) {
        return new BrokerState(
                id,
                epoch,
                incarnationId,
                directoryIds,
                endpoints,
                rack,
                bootEvidence,
                minLevel,
                maxLevel,
                value,
                shutdownIndex);
    }

    BrokerState withShutdownIndex(long index) {
        return new BrokerState(
                id,
                epoch,
                incarnationId,
                directoryIds,
                endpoints,
                rack,
                bootEvidence,
                minLevel,
                maxLevel,
                fenced,
                index);
    }
}
