package io.tidemark.quorum.inspect;

import io.tidemark.model.codec.Json;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.quorum.ratis.QuorumAdmin;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
            "0:told; with --health: healthy; with --safe-to-stop: safe",
            "1:no controller answered; with --health: not healthy; with --safe-to-stop: not safe",
            "2:usage"
        })
public final class StatusMain implements Callable<Integer> {
    /** A controller that is there answers in a fraction of it. */
    private static final long HEALTH_TIMEOUT_MS = 3_000;

    private static final long LOOK_AGAIN_MS = 200;

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

    @Option(
            names = "--nodes",
            paramLabel = "ID@HOST:PORT,...",
            description = "with --health and --safe-to-stop: the nodes' ports for health and metrics; each is asked")
    private String nodes;

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            description = "with --health: look again until the cluster is healthy, at most that long")
    private int waitSeconds;

    @Option(
            names = "--safe-to-stop",
            paramLabel = "ID",
            description = "only whether that node can be stopped, and what speaks against it")
    private Integer toStop;

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
        if (health) {
            return health();
        }
        if (toStop != null) {
            return safeToStop();
        }
        ClusterStatus status = ClusterStatus.of(StatusProbe.ask(voters(), clusterId, transport()));
        if (topic != null) {
            return partitions(status);
        }
        if (json) {
            out.println(StatusJson.of(status));
        } else {
            new StatusText(out).print(status);
        }
        return status.image() == null ? 1 : 0;
    }

    private int health() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(waitSeconds);
        ClusterStatus status = look(HEALTH_TIMEOUT_MS);
        while (!status.problems().isEmpty() && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MS);
            status = look(HEALTH_TIMEOUT_MS);
        }
        List<String> problems = status.problems();
        if (json) {
            out.println(StatusJson.of(status));
        } else {
            print(status, problems);
        }
        return problems.isEmpty() ? 0 : 1;
    }

    private int safeToStop() throws InterruptedException {
        SafeToStop answer = voters().stream().anyMatch(voter -> voter.id() == toStop)
                ? controllerToStop()
                : SafeToStop.broker(look(StatusProbe.TIMEOUT_MS), toStop);
        if (json) {
            out.println(SafeToStopText.json(toStop, answer));
        } else {
            SafeToStopText.print(out, toStop, answer);
        }
        return answer.safe() ? 0 : 1;
    }

    private SafeToStop controllerToStop() {
        try (QuorumAdmin quorum = new QuorumAdmin(voters(), clusterId, transport(), StatusProbe.TIMEOUT_MS)) {
            return SafeToStop.controller(quorum.members(), toStop);
        } catch (IOException e) {
            return new SafeToStop(List.of(e.getMessage()), List.of(), List.of());
        }
    }

    private ClusterStatus look(long timeoutMs) throws InterruptedException {
        List<QuorumVoter> asked = nodes == null ? List.of() : addresses("--nodes", nodes);
        CompletableFuture<List<NodeAnswer>> told = CompletableFuture.supplyAsync(() -> NodeAnswer.ask(asked));
        List<StatusProbe.Result> answers = StatusProbe.ask(voters(), clusterId, transport(), timeoutMs);
        return ClusterStatus.of(answers, told.join());
    }

    private void print(ClusterStatus status, List<String> problems) throws InterruptedException {
        problems.forEach(out::println);
        status.warnings().forEach(warning -> out.println("warning: " + warning));
        if (status.image() == null) {
            if (nodes != null) {
                out.println(BrokerTotals.line(addresses("--nodes", nodes)));
            }
            return;
        }
        out.println(
                (problems.isEmpty() ? "healthy: " : "") + status.controllers().size() + " controllers, "
                        + status.brokers().size() + " brokers, "
                        + status.partitions().size() + " partitions"
                        + (problems.isEmpty() ? "" : ": " + status.counts().line()));
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
        return addresses("--controllers", controllers);
    }

    private List<QuorumVoter> addresses(String option, String list) {
        try {
            return QuorumVoter.parseList(list);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage());
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
