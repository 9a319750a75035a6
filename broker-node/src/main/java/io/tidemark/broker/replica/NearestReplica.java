package io.tidemark.broker.replica;

import java.util.List;
import java.util.Map;

/**
 * Which replica a consumer should read from (R4.40), as Kafka's rack-aware selector has it: the leader if it stands in the
 * consumer's rack; else, of the members of the committed ISR in that rack that have the offset, the one with the most; else
 * the leader.
 */
final class NearestReplica {
    private NearestReplica() {}

    static int of(
            String rack,
            long offset,
            int leader,
            List<Integer> isr,
            Map<Integer, FollowerProgress> followers,
            Map<Integer, BrokerView> brokers) {
        if (stands(brokers.get(leader), rack)) {
            return leader;
        }
        FollowerProgress best = null;
        for (int member : isr) {
            FollowerProgress follower = followers.get(member);
            BrokerView view = brokers.get(member);
            if (follower != null
                    && stands(view, rack)
                    && view.active()
                    && follower.end() >= offset
                    && follower.logStart() <= offset
                    && (best == null || isBetter(follower, best))) {
                best = follower;
            }
        }
        return best == null ? leader : best.id;
    }

    private static boolean stands(BrokerView view, String rack) {
        return view != null && view.rack().equals(rack);
    }

    private static boolean isBetter(FollowerProgress one, FollowerProgress other) {
        return one.end() != other.end() ? one.end() > other.end() : one.lastCaughtUpMs() > other.lastCaughtUpMs();
    }
}
