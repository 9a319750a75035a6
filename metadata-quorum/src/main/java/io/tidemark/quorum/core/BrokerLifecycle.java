package io.tidemark.quorum.core;

import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry.Cause;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.MetadataRecord.BrokerFenced;
import io.tidemark.model.metadata.MetadataRecord.BrokerShuttingDown;
import io.tidemark.model.metadata.MetadataRecord.BrokerUnfenced;
import io.tidemark.model.metadata.MetadataRecord.BrokerUnregistered;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;
import io.tidemark.model.metadata.QuorumCommand.FenceBrokers;
import io.tidemark.model.metadata.QuorumCommand.UnregisterBroker;
import io.tidemark.model.metadata.QuorumReply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A registered broker's way between fenced, unfenced and shutting down, with the record order that each step has
 * (R7.20-R7.22).
 */
final class BrokerLifecycle {
    private BrokerLifecycle() {}

    static Decision fence(ClusterImage image, FenceBrokers command) {
        return fence(image, command, EntryBound.USUAL);
    }

    /**
     * One computation with all of them gone (B4); partition changes first, then the fences (R7.20). If there are more
     * changes than one entry takes, the fences come first, for whoever is fenced can lead nothing more, and the command is
     * given again for the rest ({@link FenceRemainder}).
     */
    static Decision fence(ClusterImage image, FenceBrokers command, EntryBound most) {
        Set<Integer> gone = new TreeSet<>();
        List<BrokerFenced> fences = new ArrayList<>();
        for (BrokerRef ref : command.brokers()) {
            BrokerState broker = image.broker(ref.brokerId());
            boolean same = broker != null && broker.epoch() == ref.brokerEpoch();
            // Whoever was unfenced since the rest was found to be owed lives, and what it holds is its own again.
            boolean meant = same && (broker.fenced() || !command.rest());
            if (meant && gone.add(broker.id()) && !broker.fenced()) {
                fences.add(new BrokerFenced(broker.id(), broker.epoch()));
            }
        }
        List<PartitionChanged> changes = PartitionMoves.leave(image, gone);
        List<PartitionChanged> part = most.first(changes);
        boolean whole = part.size() == changes.size();
        List<MetadataRecord> records = new ArrayList<>(whole ? part : fences);
        records.addAll(whole ? fences : part);
        Cause cause = command.brokers().size() == 1
                ? Causes.broker("FenceBrokers", command.brokers().get(0), command.reason())
                : Causes.controller("FenceBrokers", command.reason());
        return Decision.of(records, new QuorumReply.Done(), cause);
    }

    static Decision unfence(ClusterImage image, BrokerRef ref) {
        return unfence(image, ref, EntryBound.USUAL);
    }

    /**
     * The unfence first, then elections for what has no leader (R7.22): as many as one entry takes, and the acting
     * controller goes on with the rest ({@link ElectionRemainder}).
     */
    static Decision unfence(ClusterImage image, BrokerRef ref, EntryBound most) {
        Cause cause = Causes.broker("UnfenceBroker", ref, "");
        Decision refusal = refuseStale(image, ref, cause);
        if (refusal != null) {
            return refusal;
        }
        BrokerState broker = image.broker(ref.brokerId());
        List<MetadataRecord> records = new ArrayList<>();
        boolean whole = true;
        if (broker.fenced()) {
            records.add(new BrokerUnfenced(broker.id(), broker.epoch()));
            if (!broker.shuttingDown()) {
                PartitionMoves.Elections elections = PartitionMoves.electWith(image, broker.id(), most);
                records.addAll(elections.changes());
                whole = elections.whole();
            }
        }
        return Decision.of(records, new QuorumReply.Done(), cause).owingElections(!whole);
    }

    static Decision shutDown(ClusterImage image, BrokerRef ref) {
        return shutDown(image, ref, EntryBound.USUAL);
    }

    /**
     * The announcement first, once, then the partition changes for whatever remains (R7.21). If those are more than one entry
     * takes, first what the broker leads: the command comes again with its heartbeats until it leads nothing, and where it
     * is only in sync the fence at the end takes it out.
     */
    static Decision shutDown(ClusterImage image, BrokerRef ref, EntryBound most) {
        Cause cause = Causes.broker("ShutDownBroker", ref, "controlled shutdown");
        Decision refusal = refuseStale(image, ref, cause);
        if (refusal != null) {
            return refusal;
        }
        BrokerState broker = image.broker(ref.brokerId());
        List<MetadataRecord> records = new ArrayList<>();
        if (!broker.fenced()) {
            if (!broker.shuttingDown()) {
                records.add(new BrokerShuttingDown(broker.id(), broker.epoch()));
            }
            List<PartitionChanged> changes = PartitionMoves.leave(image, Set.of(broker.id()));
            List<PartitionChanged> part = most.first(changes);
            if (part.size() < changes.size()) {
                changes.sort(Comparator.comparing(
                        change -> image.partition(change.id()).leader() != broker.id()));
                part = most.first(changes);
            }
            records.addAll(part);
        }
        return Decision.of(records, new QuorumReply.Done(), cause);
    }

    static Decision unregister(ClusterImage image, UnregisterBroker command) {
        return unregister(image, command, EntryBound.USUAL);
    }

    /**
     * Partition changes first, its seats in the ELR included, then the broker is forgotten (R7.5). More changes than one
     * entry takes are several, with the last thing last.
     */
    static Decision unregister(ClusterImage image, UnregisterBroker command, EntryBound most) {
        Cause cause = Causes.client("UnregisterBroker", command.client());
        BrokerState broker = image.broker(command.brokerId());
        if (broker == null) {
            return Decision.refused(
                    ErrorCode.BROKER_ID_NOT_REGISTERED, "broker " + command.brokerId() + " is not registered", cause);
        }
        List<PartitionChanged> changes = PartitionMoves.forget(image, broker.id());
        List<PartitionChanged> part = most.first(changes);
        if (part.size() < changes.size()) {
            return Decision.firstPart(part, changes.size(), cause);
        }
        List<MetadataRecord> records = new ArrayList<>(changes);
        records.add(new BrokerUnregistered(broker.id(), broker.epoch()));
        return Decision.of(records, new QuorumReply.Done(), cause);
    }

    /** A refusal for an incarnation that is not the registered one, else null. */
    private static Decision refuseStale(ClusterImage image, BrokerRef ref, Cause cause) {
        BrokerState broker = image.broker(ref.brokerId());
        if (broker == null) {
            return Decision.refused(
                    ErrorCode.BROKER_ID_NOT_REGISTERED, "broker " + ref.brokerId() + " is not registered", cause);
        }
        if (broker.epoch() != ref.brokerEpoch()) {
            return Decision.refused(ErrorCode.STALE_BROKER_EPOCH, Causes.stale(ref, broker), cause);
        }
        return null;
    }
}
