package io.tidemark.quorum.ratis;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.quorum.core.FenceReasons;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What every controller counts of the entries it applies, and of those it decides on while it acts (R9.14), since its process started: entries that were written
 * before, and are applied again from the log, do not count. Each number is counted by one thread, any reads.
 */
public final class ControllerCounts {
    private final long startedMs;
    private final AtomicLong uncleanElections = new AtomicLong();
    private final AtomicLong elrElections = new AtomicLong();
    private final AtomicLong sessionsRunOut = new AtomicLong();
    private final AtomicLong newLeaders = new AtomicLong();
    private final AtomicLong leaderTerm = new AtomicLong(-1);
    private final AtomicLong commands = new AtomicLong();

    /** @param startedMs wall clock, milliseconds */
    ControllerCounts(long startedMs) {
        this.startedMs = startedMs;
    }

    /** An entry that takes effect on that image. */
    void applies(ClusterImage before, MetadataEntry entry) {
        if (entry.timestampMs() < startedMs) {
            return;
        }
        boolean sessionRanOut = entry.cause().reason().equals(FenceReasons.SESSION_RAN_OUT);
        for (MetadataRecord metadata : entry.records()) {
            if (metadata instanceof MetadataRecord.PartitionChanged change && change.leader() != null) {
                elected(before.partition(change.id()), change.leader());
            } else if (sessionRanOut && metadata instanceof MetadataRecord.BrokerFenced) {
                sessionsRunOut.incrementAndGet();
            }
        }
    }

    private void elected(PartitionState before, int leader) {
        if (before == null || leader == PartitionState.NO_LEADER || before.isr().contains(leader)) {
            return;
        }
        // Whoever has a seat holds all that was exposed (B1); a seat that still waits to be proven is no proof.
        boolean seat = before.elr().contains(leader) && !before.waitsForFloor(leader);
        (seat ? elrElections : uncleanElections).incrementAndGet();
    }

    /**
     * A controller acts, as far as this one has heard: one that was lost from sight within its term is no new one, and one
     * that was elected again is.
     */
    void newLeader(long term) {
        if (leaderTerm.getAndAccumulate(term, Math::max) < term) {
            newLeaders.incrementAndGet();
        }
    }

    /** This controller acts, and begins to decide on a command. */
    void decides() {
        commands.incrementAndGet();
    }

    /** Commands that it has begun to decide on. */
    public long commands() {
        return commands.get();
    }

    /** Elections of a replica that is not known to hold what was acknowledged. */
    public long uncleanElections() {
        return uncleanElections.get();
    }

    /** Elections of a member of the ELR. */
    public long elrElections() {
        return elrElections.get();
    }

    /** Brokers fenced because nothing was heard of them for a session. */
    public long sessionsRunOut() {
        return sessionsRunOut.get();
    }

    public long newLeaders() {
        return newLeaders.get();
    }
}
