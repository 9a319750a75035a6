package io.tidemark.broker.api;

import java.util.HashSet;
import java.util.List;

/** What a list of replicas must be whatever the cluster looks like. */
final class Replicas {
    private Replicas() {}

    /** Not empty, no broker twice, no negative id. */
    static boolean legal(List<Integer> brokerIds) {
        return !brokerIds.isEmpty()
                && new HashSet<>(brokerIds).size() == brokerIds.size()
                && brokerIds.stream().allMatch(id -> id >= 0);
    }
}
