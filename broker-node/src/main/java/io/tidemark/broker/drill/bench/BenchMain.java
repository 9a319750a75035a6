package io.tidemark.broker.drill.bench;

import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.Servers;
import io.tidemark.broker.drill.Verdict;
import io.tidemark.broker.drill.Waiting;
import io.tidemark.broker.drill.bench.LeaderFault.Fault;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Does one or more works on one cluster and notes their figures; scripts/bench.sh starts it. */
@Command(name = "bench", mixinStandardHelpOptions = true, description = "Measures one cluster.")
public final class BenchMain implements Callable<Integer> {
    private static final int PARTITIONS = 6;
    private static final int MANY_PARTITIONS = 1000;
    private static final int IDLE_SECONDS = 20;
    private static final String TOPIC_1000 = "bench-1000";
    private static final String TOPIC_100 = "bench-100";

    @Option(names = "--target", required = true, description = "what the figures are filed under")
    private String target;

    @Option(names = "--bootstrap-server", description = "host:port,host:port")
    private String bootstrap;

    @Option(names = "--data", required = true, description = "where the cluster's script keeps its process ids")
    private Path data;

    @Option(names = "--out", required = true, description = "file to which figures are appended")
    private Path out;

    @Option(names = "--works", required = true, split = ",", description = "in the order given")
    private List<String> works;

    @Option(names = "--warm-up-gb", defaultValue = "1.5", description = "1e9 bytes, before throughput is measured")
    private double warmUpGb;

    @Option(names = "--measured-gb", defaultValue = "1", description = "1e9 bytes, for throughput")
    private double measuredGb;

    @Option(names = "--restart-gb", defaultValue = "2", description = "1e9 bytes a broker holds at a restart")
    private double restartGb;

    @Option(names = "--seconds", defaultValue = "30", description = "of latency measurement")
    private int seconds;

    @Option(names = "--fault-rounds", defaultValue = "5")
    private int faultRounds;

    @Option(names = "--controller", defaultValue = "-1", description = "the acting controller, for controller")
    private int controller;

    @Parameters(arity = "0..*", description = "the cluster's script with its options; after --")
    private List<String> script = new ArrayList<>();

    private Figures figures;
    private Servers servers;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new BenchMain()).execute(arguments));
    }

    /** 0 if all works were done, 1 if not. */
    @Override
    public Integer call() {
        figures = new Figures(out, target);
        servers = new Servers(data, script);
        int status = 0;
        for (String work : works) {
            try {
                figures.tell("-- " + work);
                run(work);
            } catch (DrillException | KafkaException | CompletionException e) {
                figures.tell("FAILED: " + work + ": " + e.getMessage());
                status = 1;
            }
        }
        return status;
    }

    private void run(String work) {
        switch (work) {
            case "throughput" -> {
                throughput(TOPIC_1000, 1000, 1, Figure.CPU_1000);
                throughput(TOPIC_100, 100, 0.5, Figure.CPU_100);
            }
            case "latency" -> latency();
            case "consume" -> consume();
            case "memory" -> {
                figures.add(Figure.BROKER_MEMORY, servers.brokerResidentMb());
                figures.add(Figure.CONTROLLER_MEMORY, servers.controllerResidentMb());
            }
            case "kill" -> fault(Fault.KILL, Figure.KILL_GAP, Figure.KILL_LOST, Figure.KILL_DUPLICATED);
            case "pause" -> fault(Fault.PAUSE, Figure.PAUSE_GAP, Figure.PAUSE_LOST, Figure.PAUSE_DUPLICATED);
            case "term" -> fault(Fault.TERM, Figure.TERM_GAP, Figure.TERM_LOST, Figure.TERM_DUPLICATED);
            case "controller" ->
                figures.add(
                        Figure.CONTROLLER_GAP,
                        new ControllerKill(bootstrap, servers).run(controller, "controller-" + System.nanoTime()));
            case "partitions" -> {
                ManyPartitions.Outcome outcome = new ManyPartitions(bootstrap).run("many", MANY_PARTITIONS);
                figures.add(Figure.PARTITIONS_COMMAND, outcome.created());
                figures.add(Figure.PARTITIONS, outcome.available());
            }
            case "idle" -> idle();
            case "start" -> {
                ColdStart.Outcome outcome = new ColdStart(bootstrap, servers).run();
                figures.add(Figure.FORMAT, outcome.formatted());
                figures.add(Figure.COLD_START, outcome.firstAck());
            }
            case "restart" -> restart();
            case "bare" -> bare();
            case "self-check" -> selfCheck();
            default -> throw new DrillException("there is no such work");
        }
    }

    private void throughput(String topic, int recordSize, double share, Figure cpu) {
        try (Topics topics = new Topics(bootstrap)) {
            topics.createReplicated(topic, PARTITIONS);
        }
        Throughput.Outcome outcome = new Throughput(bootstrap, servers)
                .run(topic, recordSize, bytes(warmUpGb * share), bytes(measuredGb * share));
        if (cpu == Figure.CPU_1000) {
            figures.add(Figure.THROUGHPUT_1000, outcome.megabytesPerSecond());
        } else {
            figures.add(Figure.THROUGHPUT_100, outcome.recordsPerSecond());
        }
        figures.add(cpu, outcome.cpuSecondsPerGb());
    }

    private void latency() {
        try (Topics topics = new Topics(bootstrap)) {
            topics.createReplicated("bench-latency", PARTITIONS);
        }
        double cpuBefore = servers.cpuSeconds();
        long start = System.nanoTime();
        double[] sorted = new Latency(bootstrap).run("bench-latency", Math.max(5, seconds / 3), seconds);
        double elapsed = (System.nanoTime() - start) / 1e9;
        figures.add(Figure.LATENCY_P50, Latency.percentile(sorted, 50));
        figures.add(Figure.LATENCY_P99, Latency.percentile(sorted, 99));
        figures.add(Figure.LATENCY_P999, Latency.percentile(sorted, 99.9));
        figures.add(Figure.LATENCY_CPU, (servers.cpuSeconds() - cpuBefore) / elapsed * 100);
    }

    private void consume() {
        Consuming.Outcome outcome = new Consuming(bootstrap, servers).run(TOPIC_1000, PARTITIONS);
        figures.add(Figure.CONSUME, outcome.megabytesPerSecond());
        figures.add(Figure.CONSUME_CPU, outcome.cpuSecondsPerGb());
    }

    private void fault(Fault fault, Figure gap, Figure lost, Figure duplicated) {
        for (int round = 1; round <= faultRounds; round++) {
            String topic = "fault-" + fault + "-" + round;
            LeaderFault.Outcome outcome = new LeaderFault(bootstrap, servers).run(fault, topic);
            figures.add(gap, outcome.longestGapMs());
            figures.add(lost, outcome.verdict().lost() + outcome.verdict().wrongOffset());
            figures.add(duplicated, outcome.verdict().duplicated());
        }
    }

    private void idle() {
        Waiting.seconds(IDLE_SECONDS / 2.0);
        double before = servers.cpuSeconds();
        Waiting.seconds(IDLE_SECONDS);
        figures.add(Figure.IDLE_CPU, servers.cpuSeconds() - before);
    }

    private void restart() {
        try (Restart restart = new Restart(bootstrap, servers, "bench-restart")) {
            figures.add(Figure.RESTART_SMALL, restart.run(bytes(restartGb / 4)));
            figures.add(Figure.RESTART_LARGE, restart.run(bytes(restartGb)));
        }
    }

    private void bare() {
        new BareSockets(data, false).run(bytes(0.3));
        figures.add(Figure.BARE_OVERWRITE, new BareSockets(data, false).run(bytes(measuredGb)));
        figures.add(Figure.BARE_GROWING, new BareSockets(data, true).run(bytes(measuredGb)));
    }

    private void selfCheck() {
        Verdict verdict = new SelfCheck(bootstrap, servers).run("self-check");
        figures.tell("acks=1 with a cut tail: " + verdict);
        if (verdict.lost() + verdict.wrongOffset() == 0) {
            throw new DrillException("records were lost and the harness did not see it");
        }
        figures.tell("the loss was seen");
    }

    private static long bytes(double gb) {
        return (long) (gb * 1e9);
    }
}
