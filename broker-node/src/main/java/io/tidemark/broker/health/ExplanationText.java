package io.tidemark.broker.health;

import io.tidemark.broker.replica.Explanation;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.model.metadata.PartitionState;
import java.util.Locale;
import java.util.stream.Collectors;

/** A partition's standing in sentences (B11). */
final class ExplanationText {
    private ExplanationText() {}

    /** Lines, each with its end. */
    static String of(String name, int broker, Standing standing) {
        StringBuilder text = new StringBuilder();
        text.append(name).append(" on broker ").append(broker).append(": ").append(head(standing));
        if (standing.outOfService() != null) {
            text.append("\n  out of service until this broker is restarted: ").append(standing.outOfService());
        } else if (standing.paused()) {
            text.append("\n  waits for its disk");
        }
        Explanation why = standing.explanation();
        if (why != null && standing.outOfService() == null) {
            if (why.leadership() != null) {
                leadership(why, text);
            } else if (why.followership() != null) {
                followership(why, text);
            } else if (why.state() != null) {
                line(text, metadata(why.state()));
            }
        }
        return text.append('\n').toString();
    }

    private static String head(Standing standing) {
        Explanation why = standing.explanation();
        if (why == null) {
            return standing.outOfService() == null ? "its log is being opened" : "failed";
        }
        String log =
                String.format("; log %d to %d, high watermark %d", why.logStart(), why.logEnd(), why.highWatermark());
        if (standing.outOfService() != null) {
            return "failed" + log;
        }
        PartitionState state = why.state();
        if (state == null) {
            return "no metadata yet" + log;
        }
        String epochs =
                String.format(", leader epoch %d, partition epoch %d", state.leaderEpoch(), state.partitionEpoch());
        if (why.leadership() != null) {
            return "leads" + epochs + log;
        } else if (why.followership() != null) {
            return "follows broker " + why.followership().leader() + epochs + log;
        }
        return "no leader" + epochs + log;
    }

    static String metadata(PartitionState state) {
        return String.format(
                "leader %s, ISR %s, ELR %s, replicas %s, min ISR %d",
                state.hasLeader() ? String.valueOf(state.leader()) : "none",
                state.isr(),
                state.elr(),
                state.replicas(),
                state.minIsr());
    }

    // ---- leader ----

    private static void leadership(Explanation why, StringBuilder text) {
        Explanation.Leadership leadership = why.leadership();
        line(text, metadata(why.state()));
        line(text, mark(why, leadership));
        if (!leadership.servesClients()) {
            line(
                    text,
                    "serves no clients but acks=all: no controller was heard for the length of the lease, and not all"
                            + " members fetch");
        }
        for (Explanation.Follower follower : leadership.followers()) {
            line(text, follower(why, follower));
        }
        line(text, leadership.pending() == null ? "no change is pending" : pending(leadership.pending()));
        if (leadership.refusal() != null) {
            Explanation.Refusal refusal = leadership.refusal();
            line(
                    text,
                    String.format(
                            "last refused: the ISR %s, %s ago, %s (asked because: %s)",
                            refusal.proposed(), time(refusal.agoMs()), refusal.error(), refusal.reason()));
        }
    }

    static String mark(Explanation why, Explanation.Leadership leadership) {
        Explanation.Mark mark = leadership.mark();
        String where = "high watermark " + why.highWatermark();
        if (mark.hold() == Explanation.Hold.NOTHING) {
            return where + ": nothing holds it, all that is written is below it";
        }
        String stands = where + " (" + (why.logEnd() - why.highWatermark()) + " records above it) has not moved for "
                + time(mark.standsForMs()) + ": ";
        return switch (mark.hold()) {
            case BELOW_MIN_ISR ->
                stands + "the ISR " + leadership.committedIsr() + " is below the min ISR of "
                        + why.state().minIsr();
            case REPORTED ->
                stands + "the controllers were told that it stands here, and it may rise again only with"
                        + " the next partition epoch";
            default -> stands + "held by " + holders(leadership);
        };
    }

    private static String holders(Explanation.Leadership leadership) {
        if (leadership.mark().holders().isEmpty()) {
            return "nobody any more, it moves with the next event";
        }
        return leadership.followers().stream()
                .filter(follower -> leadership.mark().holders().contains(follower.broker()))
                .map(follower -> "replica " + follower.broker() + " ("
                        + (follower.inIsr() ? "a member of the ISR" : "joining the ISR")
                        + (follower.end() < 0 ? ", which has not fetched yet)" : ", at " + follower.end() + ")"))
                .collect(Collectors.joining(" and "));
    }

    static String follower(Explanation why, Explanation.Follower follower) {
        StringBuilder text = new StringBuilder("replica " + follower.broker() + ": ");
        text.append(follower.inIsr() ? "in the ISR" : "not in the ISR, " + absence(why, follower));
        if (follower.end() >= 0) {
            long behind = why.logEnd() - follower.end();
            text.append("; at ").append(follower.end());
            text.append(behind == 0 ? ", at the end" : ", " + behind + " behind");
        }
        if (follower.heardAgoMs() >= 0) {
            text.append(", last fetched ").append(time(follower.heardAgoMs())).append(" ago");
        }
        if (follower.leavesInMs() != Long.MAX_VALUE) {
            if (follower.caughtUpAgoMs() >= 0) {
                text.append(", last caught up ")
                        .append(time(follower.caughtUpAgoMs()))
                        .append(" ago");
            }
            text.append(
                    follower.leavesInMs() >= 0
                            ? "; leaves the ISR in " + time(follower.leavesInMs()) + " unless it catches up"
                            : "; over the lag limit");
        }
        return text.toString();
    }

    private static String absence(Explanation why, Explanation.Follower follower) {
        return switch (follower.absence()) {
            case NOT_REGISTERED -> "no broker of that id is registered";
            case NOT_ACTIVE -> "its broker is fenced or shutting down";
            case NEVER_FETCHED -> "it has not fetched since this leader began";
            case OLD_INCARNATION -> "only an earlier incarnation of its broker has fetched";
            case SILENT -> "it has not fetched within the lag limit";
            case BELOW_MARK -> "it has not reached the high watermark " + why.highWatermark();
            case BELOW_EPOCH_START ->
                "it has not reached " + why.leadership().epochStart() + ", where this leader began";
            case REFUSED -> "the controllers refused it, asks again in " + time(follower.retryInMs());
            case JOINING -> "its joining is pending";
            case OTHER_CHANGE_FIRST -> "another change of the ISR is pending first";
            case ABOUT_TO_JOIN -> "it has caught up and is about to be proposed";
            case NONE -> "";
        };
    }

    static String pending(Explanation.Pending pending) {
        String what = switch (pending.change()) {
            case EXPAND -> "the ISR is to become " + pending.proposed() + ", with " + pending.brokers();
            case SHRINK -> "the ISR is to become " + pending.proposed() + ", without " + pending.brokers();
            case REPORT -> "the controllers are being told where the high watermark stands";
            case CANCEL ->
                "a refused change is being cancelled"
                        + (pending.brokers().isEmpty() ? "" : ", " + pending.brokers() + " counts until it is");
        };
        String stage = pending.accepted()
                ? "accepted, waits for this broker's metadata"
                : pending.resendInMs() >= 0
                        ? "is sent again in " + time(pending.resendInMs())
                        : "sent, not answered yet";
        return "pending for " + time(pending.ageMs()) + ": " + what + "; " + stage
                + (pending.unknownAttempt() ? ", an earlier attempt was never answered" : "")
                + " (asked because: " + pending.reason() + ")";
    }

    // ---- follower ----

    private static void followership(Explanation why, StringBuilder text) {
        Explanation.Followership follower = why.followership();
        String doing = switch (follower.activity()) {
            case FETCHING -> "fetches from " + follower.fetchOffset();
            case TRUNCATING -> "is cutting its log back to what the leader's has";
            case ASKING -> "asks the leader where its log starts and ends";
            case DELAYED -> "fetches again from " + follower.fetchOffset() + " in " + time(follower.delayedForMs());
        };
        if (follower.lastError() != ReplicaError.NONE) {
            doing += ", the last answer was " + follower.lastError();
        }
        line(text, doing);
        if (follower.toldAgoMs() < 0) {
            line(text, "the leader has not told anything of this partition yet");
        } else {
            long lag = Math.max(0, follower.leaderMark() - why.logEnd());
            line(
                    text,
                    "the leader told of high watermark " + follower.leaderMark() + " " + time(follower.toldAgoMs())
                            + " ago; "
                            + (lag == 0 ? "nothing is missing below it" : lag + " records are missing below it"));
        }
        line(text, "as this broker knows it: " + metadata(why.state()));
    }

    private static void line(StringBuilder text, String line) {
        text.append("\n  ").append(line);
    }

    /** {@code 850 ms}, {@code 4.2 s}, {@code 3 min}. */
    static String time(long ms) {
        if (ms < 1_000) {
            return ms + " ms";
        }
        return ms < 120_000 ? String.format(Locale.ROOT, "%.1f s", ms / 1000.0) : ms / 60_000 + " min";
    }
}
