package io.tidemark.model.config;

/** The transport between controllers, and from brokers to them, {@code quorum.rpc}; the same on all nodes. */
public enum QuorumRpc {
    GRPC,
    NETTY
}
