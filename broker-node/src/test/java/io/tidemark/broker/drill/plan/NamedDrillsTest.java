package io.tidemark.broker.drill.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The drills of config/drills, and what docs/DRILLS.md says of them. */
class NamedDrillsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve("config/drills"))) {
            return files.sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void isReadAndItsPromiseIsDocumented(Path file) throws IOException {
        Drill drill = DrillReader.read(file.toString(), Files.readString(file));
        assertThat(file.getFileName()).hasToString(drill.name() + ".yaml");
        assertThat(Files.readString(ROOT.resolve("docs/DRILLS.md")))
                .contains("| `" + drill.name() + "` | " + drill.promise().strip() + " |");
    }

    @Test
    void noOtherPromiseIsDocumented() throws IOException {
        String documented = Files.readString(ROOT.resolve("docs/DRILLS.md"));
        String promises =
                documented.substring(documented.indexOf("## What each promises"), documented.indexOf("## A file"));
        assertThat(promises.lines().filter(line -> line.startsWith("| `"))).hasSize(files().size());
    }
}
