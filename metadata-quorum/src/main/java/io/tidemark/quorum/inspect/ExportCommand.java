package io.tidemark.quorum.inspect;

import io.tidemark.model.codec.Json;
import io.tidemark.model.codec.SnapshotCodec;
import io.tidemark.model.metadata.QuorumQuery.Recovery;
import io.tidemark.quorum.files.KeyframeFile;
import io.tidemark.quorum.files.MetadataSource;
import io.tidemark.quorum.files.RecoveryFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** An image as a file: a snapshot of its own term and index, with its digest beside it. */
@Command(
        name = "export",
        mixinStandardHelpOptions = true,
        description = {
            "Writes the state at a point as a snapshot, with its digest beside it.",
            "FILE may be a folder: there it is named snapshot.TERM_INDEX. An existing file is not overwritten."
        },
        footer = {"", "Examples:", "  metadata-log.sh export image", "  metadata-log.sh --dir DIR export --at 1234 ."})
final class ExportCommand implements Callable<Integer> {
    @Mixin
    private LogOptions options;

    @Option(names = "--at", paramLabel = "POINT", description = "an index or a time; default: the last committed entry")
    private String at;

    @Option(
            names = "--all",
            description = "also what is not known to be committed: to begin anew with, after a majority was lost")
    private boolean all;

    @Parameters(paramLabel = "FILE")
    private Path file;

    @Override
    public Integer call() throws IOException {
        Output output = options.output();
        try (MetadataSource source = options.open(output)) {
            if (all && at != null) {
                throw options.usage("--all is up to the very end: it does not go with --at");
            }
            Point point = all ? new Point(end(source), -1) : options.point("--at", at, output.moments());
            Locator.Located located = new Locator(source, output).at(point);
            Recovery recovery = source.recovery();
            Path target =
                    Files.isDirectory(file) ? file.resolve(KeyframeFile.nameOf(located.term(), located.index())) : file;
            absent(target);
            absent(KeyframeFile.digestOf(target));
            // Before the image: one without it would pass for one of a history that lost nothing.
            RecoveryFile.write(absent(RecoveryFile.beside(target)), recovery);
            byte[] bytes = SnapshotCodec.encode(located.image());
            write(target, bytes);
            write(
                    KeyframeFile.digestOf(target),
                    (KeyframeFile.md5(bytes) + " *" + target.getFileName() + "\n").getBytes(StandardCharsets.UTF_8));
            tell(output, target, located, bytes.length);
        }
        return output.status();
    }

    /** Index of the last entry there is. */
    private static long end(MetadataSource source) throws IOException {
        long[] last = {source.committed()};
        source.read(last[0] + 1, Long.MAX_VALUE, entry -> {
            last[0] = Math.max(last[0], entry.index());
            return true;
        });
        return last[0];
    }

    private static void write(Path target, byte[] bytes) throws IOException {
        Files.write(absent(target), bytes);
        try (FileChannel channel = FileChannel.open(target, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    private static Path absent(Path target) throws IOException {
        if (Files.exists(target)) {
            throw new IOException(target + " is there already");
        }
        return target;
    }

    private static void tell(Output output, Path target, Locator.Located located, int size) {
        if (output.json()) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("file", target.toString());
            row.put("term", located.term());
            row.put("index", located.index());
            row.put("digest", String.format("%016x", located.image().digest()));
            row.put("bytes", size);
            output.quick(Json.of(row));
        } else {
            output.quick(String.format(
                    "%s: the state at index %d (term %d), digest %016x, %d bytes",
                    target, located.index(), located.term(), located.image().digest(), size));
        }
    }
}
