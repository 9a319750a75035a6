package io.tidemark.broker.scenario;

import io.tidemark.broker.replica.FetchPosition;
import io.tidemark.model.EpochAndOffset;
import io.tidemark.model.EpochHistory;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** How scenarios write the values of the model, and read them. */
final class Words {
    private Words() {}

    static String of(List<Integer> ids) {
        return ids.toString().replace(" ", "");
    }

    static String of(Floor floor) {
        return switch (floor.kind()) {
            case NONE -> "none";
            case UNKNOWN -> "unknown";
            case KNOWN -> floor.offset() + "@" + floor.epoch() + (floor.exact() ? " exact" : "");
        };
    }

    /** "none", "unknown", "100@0" or "100@0/inexact". */
    static Floor floor(String text) {
        if (text.equals("none")) {
            return Floor.NONE;
        } else if (text.equals("unknown")) {
            return Floor.UNKNOWN;
        }
        if (!text.matches("\\d+@-?\\d+(/inexact)?")) {
            throw new ScenarioException("'" + text + "' is no floor such as none, unknown, 100@0 or 100@0/inexact");
        }
        String[] parts = text.split("/")[0].split("@");
        return Floor.known(Long.parseLong(parts[0]), Integer.parseInt(parts[1]), !text.endsWith("/inexact"));
    }

    static String of(EpochHistory history) {
        return history.entries().stream()
                .map(entry -> entry.epoch() + ":" + entry.offset())
                .collect(Collectors.joining(",", "E{", "}"));
    }

    /** "0:0 3:100". */
    static EpochHistory history(String text) {
        List<EpochAndOffset> entries = new ArrayList<>();
        for (String entry : text.isBlank() ? new String[0] : text.trim().split(" ")) {
            if (!entry.matches("\\d+:\\d+")) {
                throw new ScenarioException("'" + entry + "' is no epoch with its start, such as 3:100");
            }
            String[] parts = entry.split(":");
            entries.add(new EpochAndOffset(Integer.parseInt(parts[0]), Long.parseLong(parts[1])));
        }
        return EpochHistory.of(entries);
    }

    static String of(FetchPosition position) {
        return "LE=" + position.leaderEpoch() + " at " + position.offset()
                + (position.lastFetchedEpoch() < 0 ? " after nothing" : " after @" + position.lastFetchedEpoch());
    }

    static String of(IsrProposal proposal) {
        String members = proposal.isr().stream()
                .map(member -> member.brokerId() + "@" + member.brokerEpoch())
                .collect(Collectors.joining(",", "[", "]"));
        return proposal.kind().name().toLowerCase(java.util.Locale.ROOT) + " LE=" + proposal.leaderEpoch() + " PE="
                + proposal.partitionEpoch() + " ISR=" + members + " floor " + of(proposal.floor());
    }

    /** What of {@code before} stands is left out; null: all of it is said. */
    static String of(PartitionState state, PartitionState before) {
        StringBuilder text = new StringBuilder(state.toString().replace(", ", ","));
        if (before == null || state.floor().kind() != Floor.Kind.NONE) {
            text.append(" floor=").append(of(state.floor()));
        }
        if (before == null || before.minIsr() != state.minIsr()) {
            text.append(" min=").append(state.minIsr());
        }
        if (before == null || !before.replicas().equals(state.replicas())) {
            text.append(" replicas=").append(of(state.replicas()));
        }
        if (before == null
                ? state.reassigning()
                : !before.adding().equals(state.adding()) || !before.removing().equals(state.removing())) {
            text.append(" adding=").append(of(state.adding()));
            text.append(" removing=").append(of(state.removing()));
        }
        return text.toString();
    }
}
