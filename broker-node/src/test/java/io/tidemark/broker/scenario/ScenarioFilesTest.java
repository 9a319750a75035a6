package io.tidemark.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Every scenario file leads to what it says; see docs/SCENARIOS.md. */
class ScenarioFilesTest {
    private static final Path DIRECTORY = Path.of("src/test/resources/io/tidemark/broker/scenario");
    private static final String SUFFIX = ".scenario";
    private static final boolean REWRITE = Boolean.getBoolean("tidemark.scenario.rewrite");
    /** Scenarios and traps that must be there, each as one file or several. */
    private static final List<String> REQUIRED = List.of(
            "s01", "s02", "s03", "s04", "s05", "s06", "s07", "s08", "s09", "s10", "s11", "s12", "s13", "s14", "s15",
            "s16", "s17", "s18", "s19", "s20", "s21", "s23", "s24", "s27", "s30", "s31", "s34", "s36", "k1", "k2", "k3",
            "k4", "k5", "c01", "c02", "c03", "c04", "c05", "c06", "c07", "c08", "c09", "c10");

    private static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(DIRECTORY)) {
            return files.filter(path -> path.toString().endsWith(SUFFIX))
                    .sorted(Comparator.comparing(Path::getFileName))
                    .toList();
        }
    }

    private static String name(Path path) {
        return path.getFileName().toString().replace(SUFFIX, "");
    }

    @TestFactory
    Stream<DynamicTest> scenario() throws IOException {
        return files().stream().map(path -> DynamicTest.dynamicTest(name(path), path.toUri(), () -> run(path)));
    }

    private static void run(Path path) throws IOException {
        String text = Files.readString(path);
        ScenarioFile file = ScenarioFile.parse(path.getFileName().toString(), text);
        String actual = file.with(Scenarios.run(file));
        if (REWRITE) {
            Files.writeString(path, actual);
        } else {
            assertThat(actual).as("%s", path).isEqualTo(text);
        }
    }

    @Test
    void theRequiredOnesAreThere() throws IOException {
        List<String> names = files().stream().map(ScenarioFilesTest::name).toList();
        assertThat(REQUIRED)
                .allSatisfy(number -> assertThat(names)
                        .as("%s", number)
                        .anyMatch(name -> name.equals(number) || name.startsWith(number + "-")));
    }

    @Test
    void everyOneSaysWhatMustHoldAndByWhichRules() throws IOException {
        assertThat(files()).allSatisfy(path -> {
            List<String> head = ScenarioFile.parse("", Files.readString(path)).head();
            assertThat(head).as("%s", path).isNotEmpty();
            assertThat(String.join(" ", head)).as("%s", path).containsPattern("\\b[RBIO]\\d+");
        });
    }
}
