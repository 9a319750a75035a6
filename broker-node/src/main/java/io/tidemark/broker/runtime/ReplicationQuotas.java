package io.tidemark.broker.runtime;

import io.tidemark.model.metadata.BrokerKeys;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ThrottledReplicas;

/** A broker's two accounts for throttled replication: what it sends as a leader, and what it asks for as a follower. */
public final class ReplicationQuotas {
    private final ReplicationQuota leader = new ReplicationQuota();
    private final ReplicationQuota follower = new ReplicationQuota();

    public ReplicationQuota leader() {
        return leader;
    }

    public ReplicationQuota follower() {
        return follower;
    }

    /** The rates of that broker, else the cluster's default, else none. */
    void configure(ClusterImage image, int brokerId) {
        leader.rate(rate(image, brokerId, ThrottledReplicas.LEADER_RATE_KEY));
        follower.rate(rate(image, brokerId, ThrottledReplicas.FOLLOWER_RATE_KEY));
    }

    private static long rate(ClusterImage image, int brokerId, String key) {
        String value = BrokerKeys.value(image, brokerId, key);
        return value == null ? ReplicationQuota.UNLIMITED : Long.parseLong(value);
    }
}
