package io.tidemark.quorum.inspect;

import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.quorum.inspect.ClusterStatus.Controller;
import io.tidemark.quorum.inspect.ClusterStatus.Partition;
import java.io.PrintStream;
import java.util.List;
import java.util.stream.Collectors;

/** A cluster's status for people. */
final class StatusText {
    /** Longer lists of partitions are cut, so that the rest can be read. */
    private static final int MAX_ROWS = 20;

    private final PrintStream out;

    StatusText(PrintStream out) {
        this.out = out;
    }

    void print(ClusterStatus status) {
        out.printf(
                "%-12s%-24s%-13s%-10s%-11s%-6s%s%n",
                "controller", "address", "role", "term", "applied", "lag", "digest");
        status.controllers().forEach(this::print);
        out.println();
        if (status.image() == null) {
            return;
        }
        out.printf("%-12s%-24s%-10s%s%n", "broker", "address", "epoch", "state");
        status.brokers().forEach(this::print);
        status.fastPathOff()
                .forEach((id, why) ->
                        out.println("broker " + id + " " + why + ": only its session would show its death"));
        out.println();
        out.printf(
                "%d topics, %d partitions; %s%n",
                status.image().topics().size(),
                status.partitions().size(),
                status.counts().line());
        List<Partition> listed = status.partitions().stream()
                .filter(partition -> partition.underReplicated() || partition.underMinIsr())
                .toList();
        printPartitions(listed.subList(0, Math.min(MAX_ROWS, listed.size())));
        if (listed.size() > MAX_ROWS) {
            out.println("... and " + (listed.size() - MAX_ROWS) + " more");
        }
    }

    private void print(Controller controller) {
        if (controller.reachable()) {
            out.printf(
                    "%-12d%-24s%-13s%-10d%-11d%-6d%016x%s%n",
                    controller.id(),
                    controller.address(),
                    controller.leads() ? "leader" : "follower",
                    controller.answer().term(),
                    controller.answer().appliedIndex(),
                    controller.lag(),
                    controller.answer().digest(),
                    controller.answer().voidEntries() == 0
                            ? ""
                            : " (" + controller.answer().voidEntries() + " void entries)");
        } else {
            out.printf(
                    "%-12d%-24s%-13s%s%n", controller.id(), controller.address(), "unreachable", controller.problem());
        }
    }

    private void print(BrokerState broker) {
        String address =
                broker.endpoints().isEmpty() ? "-" : address(broker.endpoints().get(0));
        String state = broker.fenced() ? "fenced" : "unfenced";
        out.printf(
                "%-12d%-24s%-10d%s%n",
                broker.id(), address, broker.epoch(), broker.shuttingDown() ? state + ", shutting down" : state);
    }

    private static String address(Endpoint endpoint) {
        return endpoint.host() + ":" + endpoint.port();
    }

    /** One line each: name, leader, epochs, replica sets. */
    void printPartitions(List<Partition> partitions) {
        for (Partition partition : partitions) {
            out.printf(
                    "  %s leader=%s LE=%d PE=%d replicas=%s ISR=%s ELR=%s min.ISR=%d%s%n",
                    partition.name(),
                    partition.offline() ? "none" : partition.state().leader(),
                    partition.state().leaderEpoch(),
                    partition.state().partitionEpoch(),
                    ids(partition.state().replicas()),
                    ids(partition.state().isr()),
                    ids(partition.state().elr()),
                    partition.state().minIsr(),
                    partition.state().recovering() ? " recovering" : "");
        }
    }

    private static String ids(List<Integer> ids) {
        return ids.stream().map(String::valueOf).collect(Collectors.joining(",", "[", "]"));
    }
}
