package io.tidemark.broker.drill.run;

import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.plan.Drill;
import io.tidemark.broker.drill.plan.DrillReader;
import io.tidemark.broker.drill.plan.PlanException;
import io.tidemark.broker.drill.report.DrillOutcome;
import io.tidemark.broker.drill.report.HtmlReport;
import io.tidemark.broker.drill.report.JsonReport;
import io.tidemark.broker.drill.report.TextReport;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Reads and runs drills; scripts/drill.sh starts it, and cleans up after it. */
@Command(name = "drill", mixinStandardHelpOptions = true, description = "Runs failover drills.")
public final class DrillMain implements Callable<Integer> {
    private static final int NOT_HELD = 1;
    private static final int BAD_FILE = 2;
    private static final int NOT_RUN = 3;

    @Option(names = "--list", description = "only tell name and promise of each file")
    private boolean list;

    @Option(names = "--kafka", description = "on a real Kafka")
    private boolean kafka;

    @Option(names = "--scripts", description = "where the operator's scripts are")
    private Path scripts;

    @Option(
            names = "--work",
            description = "an empty directory for the cluster, and for a file that says there is a verdict")
    private Path work;

    @Option(names = "--report", description = "where the reports go, named after the drill")
    private Path report;

    @Option(names = "--cluster-id", description = "take the running cluster of this id")
    private String clusterId;

    @Option(names = "--inventory", description = "of the running cluster")
    private Path inventory;

    @Option(names = "--data", description = "of the running cluster")
    private Path data;

    @Parameters(arity = "1..*", description = "files of drills; only one to run")
    private List<Path> files;

    private final PrintStream out = System.out;

    public static void main(String[] arguments) {
        System.exit(status(new CommandLine(new DrillMain()), arguments));
    }

    /** As {@link #call}; a runner that breaks down, however it does, has not found out whether anything held: 3. */
    static int status(CommandLine line, String... arguments) {
        line.getCommandSpec().exitCodeOnExecutionException(NOT_RUN);
        try {
            return line.execute(arguments);
        } catch (Throwable e) {
            e.printStackTrace();
            return NOT_RUN;
        }
    }

    /** 0 held, 1 not held, 2 a bad file, 3 not run. */
    @Override
    public Integer call() throws IOException {
        try {
            if (list) {
                for (Path file : files) {
                    Drill drill = read(file);
                    out.printf("%-30s %s%n", drill.name(), drill.promise());
                }
                return 0;
            }
            return run(read(files.get(0)));
        } catch (PlanException e) {
            System.err.println("drill: " + e.getMessage());
            return BAD_FILE;
        } catch (DrillException | KafkaException e) {
            System.err.println("drill: not run: " + e.getMessage());
            return NOT_RUN;
        }
    }

    private static Drill read(Path file) {
        try {
            return DrillReader.read(file.toString(), Files.readString(file));
        } catch (CharacterCodingException e) {
            throw new PlanException(file.toString(), 1, "this is no text in UTF-8");
        } catch (IOException e) {
            throw new DrillException(file + " cannot be read: " + e, e);
        }
    }

    private int run(Drill drill) throws IOException {
        out.println("== " + drill.name() + (kafka ? " on Kafka" : ""));
        String name = drill.name() + (kafka ? "-kafka" : "");
        Files.createDirectories(report);
        // The verdict of a run before must not be taken for that of one that came to none.
        for (String kind : List.of(".txt", ".json", ".html")) {
            Files.deleteIfExists(report.resolve(name + kind));
        }
        Breakdowns breakdowns = Breakdowns.watch();
        ClusterMaker maker = new ClusterMaker(scripts);
        DrillCluster cluster =
                clusterId == null ? maker.make(drill, kafka, work) : maker.take(clusterId, inventory, data);
        DrillRun.checkFits(drill, cluster);
        DrillOutcome outcome = new DrillRun(drill, cluster, out::println).run();
        breakdowns.check();
        String text = TextReport.of(outcome);
        Files.writeString(report.resolve(name + ".txt"), text);
        Files.writeString(report.resolve(name + ".json"), JsonReport.of(outcome) + "\n");
        Files.writeString(report.resolve(name + ".html"), HtmlReport.of(outcome));
        out.println();
        out.print(text);
        out.println("report: " + report.resolve(name + ".html"));
        // So that the script can tell a verdict from a Java that did not come so far.
        Files.writeString(work.resolve("verdict"), outcome.held() ? "held" : "not held");
        return outcome.held() ? 0 : NOT_HELD;
    }
}
