package io.tidemark.quorum.inspect;

import io.tidemark.model.codec.Json;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How a cluster stands, as its controllers tell it. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        description = "Shows controllers, brokers, and partitions that lack replicas.",
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {
            "0:told; with --health: healthy",
            "1:no controller answered; with --health: not healthy",
            "2:usage"
        })
public final class StatusMain implements Callable<Integer> {
    @Option(names = "--controllers", required = true, description = "all controllers, as ID@HOST:PORT,...")
    private String controllers;

    @Option(names = "--cluster-id", required = true)
    private String clusterId;

    @Option(names = "--rpc", defaultValue = "grpc", description = "transport of the quorum, grpc or netty")
    private String rpc;

    @Option(names = "--json", description = "for programs")
    private boolean json;

    @Option(names = "--health", description = "only whether the cluster is healthy, and what is wrong")
    private boolean health;

    @Option(names = "--partitions", paramLabel = "TOPIC", description = "the partitions of that topic instead")
    private String topic;

    @Spec
    private CommandSpec spec;

    private final PrintStream out;

    StatusMain(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] arguments) {
        System.exit(run(System.out, arguments));
    }

    /** Returns the exit status. */
    static int run(PrintStream out, String... arguments) {
        return new CommandLine(new StatusMain(out)).execute(arguments);
    }

    @Override
    public Integer call() throws InterruptedException {
        ClusterStatus status = ClusterStatus.of(StatusProbe.ask(voters(), clusterId, transport()));
        if (topic != null) {
            return partitions(status);
        }
        if (health) {
            return health(status);
        }
        if (json) {
            out.println(StatusJson.of(status));
        } else {
            new StatusText(out).print(status);
        }
        return status.image() == null ? 1 : 0;
    }

    private int health(ClusterStatus status) {
        List<String> problems = status.problems();
        if (json) {
            out.println(StatusJson.of(status));
        } else if (problems.isEmpty()) {
            out.println("healthy: " + status.controllers().size() + " controllers, "
                    + status.brokers().size() + " brokers, "
                    + status.partitions().size() + " partitions");
        } else {
            problems.forEach(out::println);
        }
        return problems.isEmpty() ? 0 : 1;
    }

    private int partitions(ClusterStatus status) {
        List<ClusterStatus.Partition> rows = status.partitions().stream()
                .filter(partition -> partition.topic().equals(topic))
                .toList();
        if (json) {
            out.println(Json.of(StatusJson.partitions(rows)));
        } else if (rows.isEmpty()) {
            out.println("there is no topic " + topic);
        } else {
            new StatusText(out).printPartitions(rows);
        }
        return rows.isEmpty() ? 1 : 0;
    }

    private List<QuorumVoter> voters() {
        try {
            return QuorumVoter.parseList(controllers);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--controllers: " + e.getMessage());
        }
    }

    private QuorumRpc transport() {
        try {
            return QuorumRpc.valueOf(rpc.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--rpc: expected grpc or netty");
        }
    }
}
