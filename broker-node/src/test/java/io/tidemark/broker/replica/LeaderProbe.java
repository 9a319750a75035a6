package io.tidemark.broker.replica;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Lets checks of other packages see what a leader has recorded. */
public final class LeaderProbe {
    /** The last fetch recorded of a follower: when, and which incarnation sent it. */
    public record Fetch(long atMs, long brokerEpoch) {}

    private LeaderProbe() {}

    /** The broker epochs a leader knows, by broker; empty if the replica does not lead. */
    public static Map<Integer, Long> registered(Replica replica) {
        Map<Integer, Long> epochs = new HashMap<>();
        if (replica.leading() != null) {
            replica.leading().brokers().forEach((id, view) -> epochs.put(id, view.epoch()));
        }
        return epochs;
    }

    /** The last fetches of followers that have fetched; empty if the replica does not lead. */
    public static Map<Integer, Fetch> fetches(Replica replica) {
        Map<Integer, Fetch> fetches = new HashMap<>();
        if (replica.leading() != null) {
            replica.leading().followers().forEach((id, follower) -> {
                if (follower.seen()) {
                    fetches.put(id, new Fetch(follower.lastFetchMs(), follower.brokerEpoch()));
                }
            });
        }
        return fetches;
    }

    /** Its ISR, and what is pending of it, in the words of scenarios; "" if the replica does not lead. */
    public static String isr(Replica replica) {
        IsrState isr = replica.isr();
        if (isr instanceof IsrState.PendingExpand expand) {
            return "pending expand " + text(isr.isr()) + " + " + text(expand.joiners());
        } else if (isr instanceof IsrState.PendingShrink shrink) {
            return "pending shrink " + text(isr.isr()) + " - " + text(shrink.leavers());
        } else if (isr instanceof IsrState.Cancelling cancelling) {
            return "cancelling " + text(isr.isr()) + " + " + text(cancelling.joiners());
        } else if (isr instanceof IsrState.Reporting) {
            return "reporting " + text(isr.isr());
        }
        return isr == null ? "" : "committed " + text(isr.isr());
    }

    private static String text(List<Integer> ids) {
        return ids.toString().replace(" ", "");
    }

    /** What it knows of its followers, in words. */
    public static String known(Replica replica) {
        if (replica.leading() == null) {
            return "nothing, it does not lead";
        }
        StringBuilder words = new StringBuilder("end " + replica.logEnd());
        replica.leading()
                .followers()
                .forEach((id, follower) -> words.append(", ")
                        .append(id)
                        .append(" at ")
                        .append(follower.end())
                        .append(" epoch ")
                        .append(follower.brokerEpoch())
                        .append(follower.session() == null ? " without a session" : ""));
        return words + ", brokers " + replica.leading().brokers();
    }
}
