package io.tidemark.quorum.core;

import io.tidemark.model.MonoTime;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumCommand.BalanceLeaders;
import io.tidemark.model.metadata.QuorumCommand.BalanceLeaders.Balance;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * When the acting controller holds the elections of {@link LeaderBalance}. Soft state that begins anew with every term:
 * the first pass comes one interval after it began. Where a pass found as much as an entry may change, the next follows
 * after {@link #AGAIN_MS}.
 *
 * <p>Not safe for use by several threads; its owner serializes the calls. Times are monotonic.
 */
public final class BalanceSchedule {
    /** Between two passes of which the first was bounded, milliseconds. */
    public static final long AGAIN_MS = 10;

    private final Map<Balance, Long> intervals = new EnumMap<>(Balance.class);
    private final Map<Balance, MonoTime> next = new EnumMap<>(Balance.class);

    /**
     * @param preferredMs between looks at who is led by another than its first replica, milliseconds; 0 for never
     * @param uncleanMs between looks at what nobody leads and anybody may, milliseconds; 0 for never
     */
    public BalanceSchedule(long preferredMs, long uncleanMs) {
        intervals.put(Balance.PREFERRED, preferredMs);
        intervals.put(Balance.UNCLEAN, uncleanMs);
    }

    /** A term as the acting controller begins. */
    public void activate(MonoTime now) {
        next.clear();
        intervals.forEach((kind, interval) -> {
            if (interval > 0) {
                next.put(kind, now.plus(interval));
            }
        });
    }

    /** What is to be asked of the log now; costs a walk over the cluster only when a look is due. */
    public List<BalanceLeaders> due(ClusterImage applied, MonoTime now) {
        List<BalanceLeaders> commands = new ArrayList<>();
        for (Map.Entry<Balance, MonoTime> pass : next.entrySet()) {
            if (now.compareTo(pass.getValue()) >= 0) {
                int found = LeaderBalance.wanting(applied, pass.getKey());
                boolean maybeMore = found == LeaderBalance.MAX_ELECTIONS;
                pass.setValue(now.plus(maybeMore ? AGAIN_MS : intervals.get(pass.getKey())));
                if (found > 0) {
                    commands.add(new BalanceLeaders(pass.getKey()));
                }
            }
        }
        return commands;
    }
}
