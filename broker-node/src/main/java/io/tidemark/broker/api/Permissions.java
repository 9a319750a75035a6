package io.tidemark.broker.api;

import org.apache.kafka.common.acl.AclOperation;

/** What a client may do, as the bit sets of the protocol: everything the resource knows, since there is no authorizer. */
final class Permissions {
    static final int TOPIC = bits(
            AclOperation.READ,
            AclOperation.WRITE,
            AclOperation.CREATE,
            AclOperation.DELETE,
            AclOperation.ALTER,
            AclOperation.DESCRIBE,
            AclOperation.DESCRIBE_CONFIGS,
            AclOperation.ALTER_CONFIGS);

    static final int CLUSTER = bits(
            AclOperation.CREATE,
            AclOperation.ALTER,
            AclOperation.DESCRIBE,
            AclOperation.CLUSTER_ACTION,
            AclOperation.DESCRIBE_CONFIGS,
            AclOperation.ALTER_CONFIGS,
            AclOperation.IDEMPOTENT_WRITE);

    static final int GROUP = bits(
            AclOperation.READ,
            AclOperation.DESCRIBE,
            AclOperation.DELETE,
            AclOperation.DESCRIBE_CONFIGS,
            AclOperation.ALTER_CONFIGS);

    private Permissions() {}

    private static int bits(AclOperation... operations) {
        int bits = 0;
        for (AclOperation operation : operations) {
            bits |= 1 << operation.code();
        }
        return bits;
    }
}
