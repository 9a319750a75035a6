package io.tidemark.broker.health;

import io.tidemark.broker.replica.Explanation;
import io.tidemark.model.metadata.PartitionState;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A partition's standing for programs, under names that stay; ages in milliseconds, -1 for never. */
final class ExplanationJson {
    private ExplanationJson() {}

    static Map<String, Object> of(String topic, int partition, int broker, Standing standing) {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("topic", topic);
        root.put("partition", partition);
        root.put("broker", broker);
        root.put("role", standing.role());
        root.put("outOfService", standing.outOfService());
        root.put("paused", standing.paused());
        Explanation why = standing.explanation();
        if (why != null) {
            root.put("metadata", why.state() == null ? null : metadata(why.state()));
            root.put("logStart", why.logStart());
            root.put("logEnd", why.logEnd());
            root.put("highWatermark", why.highWatermark());
            root.put("leadership", why.leadership() == null ? null : leadership(why.leadership()));
            root.put("followership", why.followership() == null ? null : followership(why.followership()));
        }
        return root;
    }

    static Map<String, Object> metadata(PartitionState state) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("leader", state.leader());
        row.put("leaderEpoch", state.leaderEpoch());
        row.put("partitionEpoch", state.partitionEpoch());
        row.put("replicas", state.replicas());
        row.put("isr", state.isr());
        row.put("elr", state.elr());
        row.put("minIsr", state.minIsr());
        return row;
    }

    private static Map<String, Object> leadership(Explanation.Leadership leadership) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("epochStart", leadership.epochStart());
        row.put("servesClients", leadership.servesClients());
        Map<String, Object> mark = new LinkedHashMap<>();
        mark.put("hold", word(leadership.mark().hold()));
        mark.put("standsForMs", leadership.mark().standsForMs());
        mark.put("holders", leadership.mark().holders());
        row.put("mark", mark);
        row.put(
                "followers",
                leadership.followers().stream().map(ExplanationJson::follower).toList());
        row.put("pending", leadership.pending() == null ? null : pending(leadership.pending()));
        row.put("refusal", leadership.refusal() == null ? null : refusal(leadership.refusal()));
        return row;
    }

    private static Map<String, Object> follower(Explanation.Follower follower) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("broker", follower.broker());
        row.put("inIsr", follower.inIsr());
        row.put("holdsMark", follower.holdsMark());
        row.put("end", follower.end());
        row.put("caughtUpAgoMs", follower.caughtUpAgoMs());
        row.put("heardAgoMs", follower.heardAgoMs());
        row.put("absence", follower.inIsr() ? null : word(follower.absence()));
        row.put("leavesInMs", follower.leavesInMs() == Long.MAX_VALUE ? null : follower.leavesInMs());
        row.put("retryInMs", follower.retryInMs());
        return row;
    }

    private static Map<String, Object> pending(Explanation.Pending pending) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("change", word(pending.change()));
        row.put("brokers", pending.brokers());
        row.put("proposed", pending.proposed());
        row.put("reason", pending.reason());
        row.put("ageMs", pending.ageMs());
        row.put("accepted", pending.accepted());
        row.put("unknownAttempt", pending.unknownAttempt());
        row.put("resendInMs", pending.resendInMs());
        return row;
    }

    private static Map<String, Object> refusal(Explanation.Refusal refusal) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("error", refusal.error().name());
        row.put("proposed", refusal.proposed());
        row.put("reason", refusal.reason());
        row.put("agoMs", refusal.agoMs());
        return row;
    }

    private static Map<String, Object> followership(Explanation.Followership followership) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("leader", followership.leader());
        row.put("activity", word(followership.activity()));
        row.put("fetchOffset", followership.fetchOffset());
        row.put("delayedForMs", followership.delayedForMs());
        row.put("lastError", followership.lastError().name());
        row.put("leaderMark", followership.leaderMark());
        row.put("toldAgoMs", followership.toldAgoMs());
        return row;
    }

    /** {@code BELOW_MIN_ISR} as {@code below-min-isr}. */
    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Map<String, Object> notHosted(String topic, int partition, int broker, PartitionState state) {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("topic", topic);
        root.put("partition", partition);
        root.put("broker", broker);
        root.put("role", "none");
        root.put("metadata", metadata(state));
        return root;
    }

    static Map<String, Object> unknown(String topic, int partition, int broker) {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("topic", topic);
        root.put("partition", partition);
        root.put("broker", broker);
        root.put("role", "unknown");
        return root;
    }
}
