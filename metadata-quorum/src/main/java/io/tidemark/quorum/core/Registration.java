package io.tidemark.quorum.core;

import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry.Cause;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.MetadataRecord.BrokerRegistered;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.QuorumCommand.RegisterBroker;
import io.tidemark.model.metadata.QuorumReply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A broker process presents itself (R7.1-R7.3, B5).
 *
 * <pre>
 * same incarnation as registered      amended: epoch, fenced and shutting down stay as they are
 * another, sharing a directory id     takes over at once: no two processes hold the lock of one directory;
 *                                     refused while the old one still answers, for then the directory was copied
 * another, sharing none               refused while the old session lives; afterwards a stranger under that id
 * </pre>
 *
 * A new incarnation leaves every ISR. Its seats in the ELR stay as they were if its logs are <em>intact</em> (B1): an
 * orderly stop that names the registered epoch, or the same kernel boot and mount with nothing cut by recovery. Otherwise
 * they are judged by what it reports of its logs ({@link Seats}). The registration record comes last (R7.3), in the last
 * entry if there are several.
 */
final class Registration {
    private Registration() {}

    static Decision decide(ClusterImage image, RegisterBroker command, DecideContext context) {
        return decide(image, command, context, EntryBound.USUAL);
    }

    /** @param most what one entry takes */
    static Decision decide(ClusterImage image, RegisterBroker command, DecideContext context, EntryBound most) {
        BrokerState old = image.broker(command.brokerId());
        boolean same = old != null && old.incarnationId().equals(command.incarnationId());
        String rival = old == null || same ? null : livingRival(old, command, context);
        if (rival != null) {
            return refused(ErrorCode.DUPLICATE_BROKER_REGISTRATION, rival, command);
        }
        for (BrokerState other : image.brokers().values()) {
            if (other.id() != command.brokerId() && sharesDirectory(other, command)) {
                return refused(
                        ErrorCode.INVALID_REGISTRATION,
                        "broker " + other.id() + " owns one of these directories",
                        command);
            }
        }
        if (image.level() < command.minLevel() || image.level() > command.maxLevel()) {
            return refused(
                    ErrorCode.UNSUPPORTED_VERSION,
                    "the metadata level is " + image.level() + ", this broker reads " + command.minLevel() + " to "
                            + command.maxLevel(),
                    command);
        }
        return same ? amended(old, command) : registered(image, old, command, most);
    }

    /** Why the registered incarnation must be taken to be alive, in words; null if it need not (B5). */
    private static String livingRival(BrokerState old, RegisterBroker command, DecideContext context) {
        if (sharesDirectory(old, command)) {
            return context.stillAnswers().test(old.id())
                    ? "broker " + old.id() + " runs as epoch " + old.epoch()
                            + " with a directory of the same id and may still answer; is this directory a copy?"
                    : null;
        }
        return context.sessionAlive().test(old.id())
                ? "broker " + old.id() + " is alive as epoch " + old.epoch() + " and shares no directory with this one"
                : null;
    }

    private static Decision amended(BrokerState old, RegisterBroker command) {
        BrokerRegistered record = record(command, old.epoch(), old.fenced());
        List<MetadataRecord> records = record.equals(asRecord(old)) ? List.of() : List.of(record);
        return Decision.of(
                records, new QuorumReply.Registered(old.epoch()), cause(command, old.epoch(), "same incarnation"));
    }

    private static Decision registered(ClusterImage image, BrokerState old, RegisterBroker command, EntryBound most) {
        String evidence = evidence(old, command);
        String reason =
                evidence == null ? "new incarnation, logs not known to be intact" : "new incarnation, " + evidence;
        List<PartitionChanged> changes = PartitionMoves.returned(image, command, evidence != null);
        List<PartitionChanged> part = most.first(changes);
        if (part.size() < changes.size()) {
            return Decision.firstPart(part, changes.size(), cause(command, -1, reason));
        }
        List<MetadataRecord> records = new ArrayList<>(changes);
        records.add(record(command, BrokerRegistered.THIS_INDEX, true));
        return Decision.of(
                records, new QuorumReply.Registered(BrokerRegistered.THIS_INDEX), cause(command, -1, reason));
    }

    /** What shows that the logs hold all they held (B1), in words; null if nothing does. */
    private static String evidence(BrokerState old, RegisterBroker command) {
        if (old == null || !sharesDirectory(old, command)) {
            return null;
        }
        if (command.previousBrokerEpoch() == old.epoch()) {
            return "stopped in order";
        }
        boolean same =
                !command.bootEvidence().isEmpty() && command.bootEvidence().equals(old.bootEvidence());
        if (!same || !command.nothingCut() || !command.directoryIds().containsAll(old.directoryIds())) {
            return null;
        }
        return command.bootEvidence().startsWith(RegisterBroker.SYNCED)
                ? "all it had acknowledged was synced"
                : "same boot and nothing cut";
    }

    private static boolean sharesDirectory(BrokerState broker, RegisterBroker command) {
        return !Collections.disjoint(broker.directoryIds(), command.directoryIds());
    }

    private static BrokerRegistered record(RegisterBroker command, long epoch, boolean fenced) {
        return new BrokerRegistered(
                command.brokerId(),
                epoch,
                command.incarnationId(),
                command.directoryIds(),
                command.endpoints(),
                command.rack(),
                command.bootEvidence(),
                command.minLevel(),
                command.maxLevel(),
                fenced);
    }

    private static BrokerRegistered asRecord(BrokerState broker) {
        return new BrokerRegistered(
                broker.id(),
                broker.epoch(),
                broker.incarnationId(),
                broker.directoryIds(),
                broker.endpoints(),
                broker.rack(),
                broker.bootEvidence(),
                broker.minLevel(),
                broker.maxLevel(),
                broker.fenced());
    }

    private static Decision refused(ErrorCode error, String message, RegisterBroker command) {
        return Decision.refused(error, message, cause(command, -1, message));
    }

    private static Cause cause(RegisterBroker command, long epoch, String reason) {
        return new Cause("RegisterBroker", command.brokerId(), epoch, "", reason);
    }
}
