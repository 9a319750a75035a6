package io.tidemark.broker.sim;

import io.tidemark.broker.log.LogSettings;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a seed is about: the size of the cluster, its settings, and which faults it sees. Each seed has some kinds of
 * faults only, since what many kinds hide from each other shows when they are fewer.
 */
record Profile(
        int brokers,
        int partitions,
        int minIsr,
        long lagTimeMaxMs,
        LogSettings log,
        long slowestSyncMicros,
        int producers,
        long thinkMicros,
        long faultMicros,
        int loops,
        Set<Fault> faults) {
    /** Kinds of faults. */
    enum Fault {
        PROCESS_CRASH,
        POWER_LOSS,
        CRASH_IN_OPERATION,
        STOP,
        PAUSE,
        CUT,
        ONE_WAY_CUT,
        ISOLATION,
        NO_CONTROLLERS,
        TROUBLED_LINK,
        SLOW_LINK,
        FEED_LAG,
        QUORUM_LEADER,
        QUORUM_OUTAGE,
        GHOST_ENTRY,
        SLOW_APPLY,
        MIN_ISR,
        PREFERRED_LEADER,
        REASSIGNMENT,
        DISK_ERROR,
        DISK_FULL,
        CLOCK_JUMP,
        DELETE_RECORDS,
        LEADER_FLAP,
        LATE_JOIN,
        BLACKOUT,
        TOPIC_CHANGE,
        JOIN_OF_THE_GONE,
        LOST_TAIL
    }

    static Profile of(Chance chance) {
        Set<Fault> faults = EnumSet.noneOf(Fault.class);
        for (Fault fault : Fault.values()) {
            if (chance.oneIn(2)) {
                faults.add(fault);
            }
        }
        int segment = chance.between(2, 16) << 10;
        LogSettings log = new LogSettings(
                segment,
                86_400_000L,
                1 << 20,
                256,
                1024,
                chance.between(2, 24) << 10,
                chance.oneIn(3) ? 4096 : 1 << 20,
                86_400_000L,
                -1,
                -1,
                chance.oneIn(4));
        return new Profile(
                chance.oneIn(4) ? 4 : 3,
                chance.between(2, 4),
                chance.oneIn(4) ? 1 : chance.oneIn(6) ? 3 : 2,
                chance.between(10, 60) * 100L,
                log,
                chance.between(1, 30) * 1000L,
                chance.between(2, 3),
                chance.between(60, 500) * 1000L,
                chance.between(4, 40) * 100_000L,
                chance.oneIn(4) ? 2 : 1,
                faults);
    }

    /** Without faults. */
    Profile quiet() {
        return quiet(log);
    }

    /** The same work, with those of the trial as the only faults. */
    Profile of(Trial trial) {
        return quiet(log.withSynced(trial.synced()));
    }

    private Profile quiet(LogSettings settings) {
        return new Profile(
                brokers,
                partitions,
                minIsr,
                lagTimeMaxMs,
                settings,
                slowestSyncMicros,
                producers,
                thinkMicros,
                faultMicros,
                loops,
                EnumSet.noneOf(Fault.class));
    }
}
