package io.tidemark.broker.replica;

/**
 * What a replica needs to know of its broker's configuration.
 *
 * @param self id of this broker
 * @param lagTimeMaxMs how long a member may stay behind before it leaves the ISR (R4.13, B7), milliseconds
 * @param alterRetryMs pause before an AlterPartition without a verdict is sent again, milliseconds
 * @param refusedRetryMs pause before a joiner that the controller found ineligible is proposed again, milliseconds
 * @param fetchBackoffMs pause of a follower after an error (R6.12), milliseconds
 * @param fetchRetryMs pause of a follower whose leader does not know its epoch yet, milliseconds
 * @param lease of the broker, shared by its replicas (B6)
 */
public record ReplicaSettings(
        int self,
        long lagTimeMaxMs,
        long alterRetryMs,
        long refusedRetryMs,
        long fetchBackoffMs,
        long fetchRetryMs,
        LeaderLease lease) {

    /** The defaults of the configuration for broker {@code self}, with a lease that never runs out. */
    public static ReplicaSettings defaults(int self) {
        return new ReplicaSettings(self, 30_000, 50, 500, 1000, 20, LeaderLease.endless());
    }
}
