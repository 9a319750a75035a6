package io.tidemark.broker.replica;

/** Whether a replica outside the ISR may be proposed for it, and if not, why (R2.11-R2.14 in their order, B14). */
final class JoinRules {
    private JoinRules() {}

    /** R2.12: registered, active, and the incarnation that fetched is the one registered (-1: the sender has no epochs). */
    static boolean eligible(BrokerView view, FollowerProgress follower) {
        return eligibility(view, follower) == Explanation.Absence.NONE;
    }

    private static Explanation.Absence eligibility(BrokerView view, FollowerProgress follower) {
        if (view == null) {
            return Explanation.Absence.NOT_REGISTERED;
        } else if (!view.active()) {
            return Explanation.Absence.NOT_ACTIVE;
        } else if (!follower.seen()) {
            return Explanation.Absence.NEVER_FETCHED;
        }
        return follower.brokerEpoch() == -1 || follower.brokerEpoch() == view.epoch()
                ? Explanation.Absence.NONE
                : Explanation.Absence.OLD_INCARNATION;
    }

    /** What is in its way; {@link Explanation.Absence#NONE} if it may be proposed. Outside a fetch it must still fetch (B14). */
    static Explanation.Absence obstacle(
            BrokerView view,
            FollowerProgress follower,
            long highWatermark,
            long epochStart,
            long lagTimeMaxMs,
            Refusals refusals,
            long nowMs) {
        Explanation.Absence ineligible = eligibility(view, follower);
        if (ineligible != Explanation.Absence.NONE) {
            return ineligible;
        }
        if (!follower.heardWithin(lagTimeMaxMs, nowMs)) {
            return Explanation.Absence.SILENT;
        }
        if (follower.end() < highWatermark) {
            return Explanation.Absence.BELOW_MARK;
        }
        if (follower.end() < epochStart) {
            return Explanation.Absence.BELOW_EPOCH_START;
        }
        return refusals.bars(follower.id, nowMs) ? Explanation.Absence.REFUSED : Explanation.Absence.NONE;
    }
}
