package io.tidemark.broker.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The patches of planted faults fit the source as it is; scripts/sim.sh mutants shows that each fault is found. */
class PlantedFaultsTest {
    /** Tests run in their module's folder. */
    private static final Path ROOT = Path.of("..");

    private static final Path PATCHES = Path.of("src/test/resources/io/tidemark/broker/sim/mutants");
    private static final Path FOR_EXPLORATION = Path.of("src/test/resources/io/tidemark/broker/explore/mutants");
    private static final String FILE = "+++ b/";

    static List<Path> patches() throws IOException {
        List<Path> patches = new ArrayList<>();
        for (Path folder : List.of(PATCHES, FOR_EXPLORATION)) {
            try (Stream<Path> files = Files.list(folder)) {
                files.sorted().forEach(patches::add);
            }
        }
        return patches;
    }

    @ParameterizedTest
    @MethodSource("patches")
    void everyHunkFindsItsLines(Path patch) throws IOException {
        String source = null;
        StringBuilder old = new StringBuilder();
        List<String> lines = new ArrayList<>(Files.readAllLines(patch));
        lines.add("@@ end");
        int hunks = 0;
        for (String line : lines) {
            if (line.startsWith("@@") || line.startsWith("--- ")) {
                if (!old.isEmpty()) {
                    assertThat(source).as("%s", patch).contains(old);
                    hunks++;
                }
                old.setLength(0);
            } else if (line.startsWith(FILE)) {
                source = Files.readString(ROOT.resolve(line.substring(FILE.length())));
            } else if (source != null && (line.startsWith(" ") || line.startsWith("-") || line.isEmpty())) {
                old.append(line.isEmpty() ? "" : line.substring(1)).append('\n');
            }
        }
        assertThat(hunks).as("hunks in %s", patch).isPositive();
    }
}
