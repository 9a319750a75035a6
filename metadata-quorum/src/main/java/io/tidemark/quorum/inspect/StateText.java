package io.tidemark.quorum.inspect;

import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.PartitionState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A state, or a part of it, for people. */
final class StateText {
    private StateText() {}

    static List<String> lines(Locator.Located located, StateSelection selection, Output output) {
        ClusterImage image = located.image();
        List<String> lines = new ArrayList<>();
        lines.add(output.style()
                .bold("state at index " + located.index() + " (term " + located.term() + "), "
                        + (image.tip() < 0
                                ? "before anything was decided"
                                : output.moments().dayAndTime(image.timestampMs()))));
        lines.add(String.format(
                "last entry that took effect %d, history %016x, metadata level %d, next producer id %d, digest %016x",
                image.tip(), image.historyId(), image.level(), image.nextProducerId(), image.digest()));
        brokers(lines, selection.brokers(image));
        List<ClusterStatus.Partition> partitions = selection.partitions(image);
        if (!partitions.isEmpty()) {
            lines.add("");
            partitions.forEach(row -> lines.add(row.name() + " " + partition(row.state())));
        }
        selection.configs(image).forEach((resource, values) -> {
            if (!values.isEmpty()) {
                lines.add("");
                lines.add("configuration of " + resource);
                values.forEach((key, value) -> lines.add("  " + key + "=" + value));
            }
        });
        return lines;
    }

    private static void brokers(List<String> lines, List<BrokerState> brokers) {
        if (brokers.isEmpty()) {
            return;
        }
        lines.add("");
        for (BrokerState broker : brokers) {
            lines.add("broker " + broker.id() + " epoch=" + broker.epoch() + " " + state(broker)
                    + (broker.rack().isEmpty() ? "" : " rack=" + broker.rack()) + " "
                    + broker.endpoints().stream().map(RecordFields::of).collect(Collectors.joining(","))
                    + " incarnation=" + broker.incarnationId());
        }
    }

    static String state(BrokerState broker) {
        return (broker.fenced() ? "fenced" : "unfenced") + (broker.shuttingDown() ? ",shutting-down" : "");
    }

    /** By name, what is not said of every broker. */
    static Map<String, String> rest(BrokerState broker) {
        Map<String, String> rest = new LinkedHashMap<>();
        rest.put("rack", broker.rack());
        rest.put("directories", broker.directoryIds().toString());
        rest.put("boot-evidence", broker.bootEvidence());
        rest.put("levels", broker.minLevel() + ".." + broker.maxLevel());
        rest.put("shutdown-index", Long.toString(broker.shutdownIndex()));
        return rest;
    }

    static String partition(PartitionState state) {
        StringBuilder text = new StringBuilder("leader=");
        text.append(state.hasLeader() ? state.leader() : "none")
                .append(" LE=")
                .append(state.leaderEpoch())
                .append(" PE=")
                .append(state.partitionEpoch())
                .append(" replicas=")
                .append(ids(state.replicas()))
                .append(" ISR=")
                .append(ids(state.isr()))
                .append(" ELR=")
                .append(ids(state.elr()))
                .append(" min.ISR=")
                .append(state.minIsr());
        if (!state.lastKnownElr().isEmpty()) {
            text.append(" last-known-leader=").append(ids(state.lastKnownElr()));
        }
        if (state.reassigning()) {
            text.append(" adding=")
                    .append(ids(state.adding()))
                    .append(" removing=")
                    .append(ids(state.removing()));
        }
        if (state.recovering()) {
            text.append(" recovering");
        }
        if (state.underMinIsr()) {
            text.append(" under-min-ISR floor=")
                    .append(RecordFields.of(state.floor()).replace(' ', '_'));
        }
        if (!state.unproven().isEmpty()) {
            text.append(" unproven=").append(RecordFields.reports(state.unproven()));
        }
        return text.toString();
    }

    static String ids(List<Integer> ids) {
        return ids.stream().map(String::valueOf).collect(Collectors.joining(",", "[", "]"));
    }
}
