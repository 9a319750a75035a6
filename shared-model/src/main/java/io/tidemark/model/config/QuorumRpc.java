package io.tidemark.model.config;

/** The transport between controllers, {@code quorum.rpc}. */
public enum QuorumRpc {
    GRPC,
    NETTY
}
