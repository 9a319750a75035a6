package io.tidemark.quorum.inspect;

import io.tidemark.model.codec.Json;
import io.tidemark.quorum.files.DirectorySource;
import io.tidemark.quorum.files.MetadataSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** What is different between two points of one log, or between the logs of two nodes. */
@Command(
        name = "diff",
        mixinStandardHelpOptions = true,
        description = {
            "Shows what is different between two points, or between two controllers' directories.",
            "Between points the exit status is 0; between directories it is 1 if they contradict each other."
        },
        footer = {
            "",
            "Examples:",
            "  metadata-log.sh diff 1000 2000",
            "  metadata-log.sh diff 12:00 12:05",
            "  metadata-log.sh diff DIRECTORY-OF-101 DIRECTORY-OF-102"
        })
final class DiffCommand implements Callable<Integer> {
    @Mixin
    private LogOptions options;

    @Parameters(index = "0", paramLabel = "A", description = "an index, a time, or a directory")
    private String first;

    @Parameters(index = "1", paramLabel = "B", description = "the same")
    private String second;

    @Override
    public Integer call() throws IOException {
        Output output = options.output();
        if (Files.isDirectory(Path.of(first)) && Files.isDirectory(Path.of(second))) {
            try (MetadataSource left = new DirectorySource(Path.of(first), output::finding);
                    MetadataSource right = new DirectorySource(Path.of(second), output::finding)) {
                boolean agree = new NodeDiff(left, right, output).tell();
                return agree ? output.status() : Math.max(1, output.status());
            }
        }
        if (Files.isDirectory(Path.of(first)) || Files.isDirectory(Path.of(second))) {
            throw options.usage((Files.isDirectory(Path.of(first)) ? second : first)
                    + " is not a directory: two points are compared, or two directories");
        }
        Point from = options.point("A", first, output.moments());
        Point to = options.point("B", second, output.moments());
        try (MetadataSource source = options.open(output)) {
            Locator locator = new Locator(source, output);
            tell(locator.at(from), locator.at(to), output);
        }
        return output.status();
    }

    private static void tell(Locator.Located from, Locator.Located to, Output output) {
        List<ImageDiff.Difference> differences = ImageDiff.of(from.image(), to.image());
        if (output.json()) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("from", from.index());
            row.put("to", to.index());
            row.put(
                    "differences",
                    differences.stream().map(ImageDiff.Difference::json).toList());
            output.quick(Json.of(row));
            return;
        }
        output.quick(output.style()
                .bold("from index " + from.index() + " (" + time(from, output) + ") to index " + to.index() + " ("
                        + time(to, output) + ")"));
        if (differences.isEmpty()) {
            output.quick("no difference");
        }
        differences.forEach(difference -> output.quick(difference.text()));
    }

    private static String time(Locator.Located located, Output output) {
        return output.moments().dayAndTime(located.image().timestampMs());
    }
}
