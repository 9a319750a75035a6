package io.tidemark.broker.drill;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs the quickstart against a cluster that is up and a topic that exists; the exit status is the verdict. */
@Command(
        name = "quickstart",
        mixinStandardHelpOptions = true,
        description = "Writes, kills the leader, reads back, and tells whether every promise was kept.")
public final class QuickstartMain implements Callable<Integer> {
    @Option(names = "--bootstrap-server", required = true, description = "host:port,host:port")
    private String bootstrap;

    @Option(names = "--topic", required = true, description = "an existing topic; its partition 0 is used")
    private String topic;

    @Option(names = "--rate", defaultValue = "500", description = "records a second (default ${DEFAULT-VALUE})")
    private int rate;

    @Option(
            names = "--seconds",
            defaultValue = "4",
            description = "seconds of writing before the kill, and after it (default ${DEFAULT-VALUE})")
    private int seconds;

    @Option(names = "--json", description = "write the report to this file too")
    private Path json;

    @Parameters(arity = "1..*", description = "the script that kills and starts nodes, with its options; after --")
    private List<String> script;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new QuickstartMain()).execute(arguments));
    }

    /** 0 if every promise was kept, 1 if not or if the drill could not be finished. */
    @Override
    public Integer call() throws Exception {
        try {
            QuickstartReport report = new Quickstart(
                            bootstrap, new TopicPartition(topic, 0), rate, seconds, new NodeSwitch(script), System.out)
                    .run();
            if (json != null) {
                Files.writeString(json, report.json() + System.lineSeparator());
            }
            System.out.println(report.line());
            return report.passed() ? 0 : 1;
        } catch (DrillException | KafkaException e) {
            System.out.println("FAILED: " + e.getMessage());
            return 1;
        }
    }
}
