package io.tidemark.quorum.inspect;

import io.tidemark.quorum.files.MetadataSource;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The state at a point. */
@Command(
        name = "show",
        mixinStandardHelpOptions = true,
        description = "Shows the state of the cluster, or of a part of it, at a point of the log.",
        footer = {
            "",
            "Examples:",
            "  metadata-log.sh show",
            "  metadata-log.sh show --at 1234 --topic orders --partition 0",
            "  metadata-log.sh show --at 2026-11-30T12:03:04.120 --broker 2"
        })
final class ShowCommand implements Callable<Integer> {
    @Mixin
    private LogOptions options;

    @Option(
            names = "--at",
            paramLabel = "POINT",
            description = "an index, or a time: after the last entry up to then; default: the last committed entry")
    private String at;

    @Option(names = "--topic", paramLabel = "T", description = "only that topic")
    private String topic;

    @Option(names = "--partition", paramLabel = "P", defaultValue = "-1", description = "and of it that partition")
    private int partition;

    @Option(
            names = "--broker",
            paramLabel = "N",
            defaultValue = "-1",
            description = "only that broker, and what it has")
    private int broker;

    @Override
    public Integer call() throws IOException {
        Output output = options.output();
        if (partition >= 0 && topic == null || topic != null && broker >= 0) {
            throw options.usage("expected --topic T [--partition P], or --broker N, or none of them");
        }
        StateSelection selection = new StateSelection(topic, partition, broker);
        try (MetadataSource source = options.open(output)) {
            Locator.Located located = new Locator(source, output).at(options.point("--at", at, output.moments()));
            String missing = selection.missing(located.image());
            if (missing != null) {
                output.remark("metadata-log: " + missing + " (index " + located.index() + ")");
                return 1;
            }
            if (output.json()) {
                output.quick(StateJson.of(located, selection));
            } else {
                StateText.lines(located, selection, output).forEach(output::quick);
            }
        }
        return output.status();
    }
}
