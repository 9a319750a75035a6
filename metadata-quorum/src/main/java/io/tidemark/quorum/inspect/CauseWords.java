package io.tidemark.quorum.inspect;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.MetadataRecord.BrokerFenced;
import io.tidemark.model.metadata.MetadataRecord.BrokerRegistered;
import io.tidemark.model.metadata.MetadataRecord.ConfigSet;
import io.tidemark.quorum.core.FenceReasons;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Why an entry exists, as the first half of a sentence about one partition. */
final class CauseWords {
    /** Before the next partition's part of a reason; or before the count of those that were left out. */
    private static final Pattern NEXT_PARTITION = Pattern.compile("; (?=[A-Za-z0-9_-]{22}-\\d+[ :]|and \\d+ more)");

    private CauseWords() {}

    static String of(MetadataEntry entry, long index, PartitionId partition) {
        MetadataEntry.Cause cause = entry.cause();
        String client = cause.client().isEmpty() ? "a client" : "client " + cause.client();
        return switch (cause.kind()) {
            case "FenceBrokers" -> fence(entry);
            case "UnfenceBroker" -> "broker " + cause.brokerId() + " is back: unfenced" + by(cause);
            case "ShutDownBroker" -> "broker " + cause.brokerId() + " stops in order (controlled shutdown)";
            case "RegisterBroker" -> register(entry, index);
            case "AlterPartition" -> alter(cause, partition);
            case "ElectLeaders" -> client + " asked for an election";
            case "CreateTopics" -> "created by " + client;
            case "CreatePartitions" -> "added by " + client;
            case "DeleteTopics" -> "the topic is deleted by " + client;
            case "AlterConfigs" -> client + " changed the configuration: " + settings(entry);
            case "UnregisterBroker" -> brokers(unregistered(entry)) + " is unregistered by " + client;
            default -> other(cause);
        };
    }

    private static String other(MetadataEntry.Cause cause) {
        String who = cause.brokerId() >= 0
                ? " by broker " + cause.brokerId()
                : cause.client().isEmpty() ? "" : " by client " + cause.client();
        return cause.kind() + who + (cause.reason().isEmpty() ? "" : ": " + cause.reason());
    }

    private static String by(MetadataEntry.Cause cause) {
        return cause.controllerId() < 0 ? "" : " by controller " + cause.controllerId();
    }

    private static String fence(MetadataEntry entry) {
        List<Integer> fenced = entry.records().stream()
                .filter(BrokerFenced.class::isInstance)
                .map(record -> ((BrokerFenced) record).brokerId())
                .toList();
        MetadataEntry.Cause cause = entry.cause();
        boolean orderly = FenceReasons.isOrderly(cause.reason());
        return orderly
                ? brokers(fenced) + " fenced" + by(cause) + ": " + cause.reason()
                : brokers(fenced) + " lost: " + cause.reason() + "; fenced" + by(cause);
    }

    private static String brokers(List<Integer> ids) {
        return (ids.size() == 1 ? "broker " : "brokers ")
                + ids.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    private static List<Integer> unregistered(MetadataEntry entry) {
        return entry.records().stream()
                .filter(MetadataRecord.BrokerUnregistered.class::isInstance)
                .map(EntryFilter::brokerOf)
                .toList();
    }

    private static String register(MetadataEntry entry, long index) {
        MetadataEntry.Cause cause = entry.cause();
        boolean anew = entry.records().stream()
                .anyMatch(record -> record instanceof BrokerRegistered registered
                        && registered.epoch() == BrokerRegistered.THIS_INDEX);
        return "broker " + cause.brokerId() + " registers (epoch " + (anew ? index : cause.brokerEpoch()) + "): "
                + cause.reason();
    }

    /** The leader's reason is one of a list, a partition each: "ID ISR [1] -> [1, 2]: caught up; ID ...". */
    private static String alter(MetadataEntry.Cause cause, PartitionId partition) {
        String who = "leader " + cause.brokerId();
        for (String reason : NEXT_PARTITION.split(cause.reason())) {
            if (reason.startsWith(partition + " ISR ")) {
                int words = reason.indexOf("]: ", reason.indexOf(" -> "));
                return words < 0 ? who + " asks for a change" : who + ": " + reason.substring(words + 3);
            }
        }
        return who + " asks for a change";
    }

    private static String settings(MetadataEntry entry) {
        return entry.records().stream()
                .filter(ConfigSet.class::isInstance)
                .map(ConfigSet.class::cast)
                .map(set -> set.key() + (set.value() == null ? " unset" : "=" + set.value()) + " for "
                        + StateSelection.nameOf(set.resource()))
                .collect(Collectors.joining(", "));
    }
}
