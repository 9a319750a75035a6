package io.tidemark.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every rule, requirement, invariant or scenario that this module's code and scenarios cite is in RULES.md under that number. */
class CitedRulesTest {
    private static final Pattern NUMBER = Pattern.compile("\\b(R\\d+\\.\\d+|B\\d+|I\\d+|S\\d+)\\b");
    /** A test is named after its scenario or rule: "s6a_...", "r4_12_...", "b14_...". */
    private static final Pattern TEST_NAME = Pattern.compile("void ([srb]\\d+(_\\d+)?)[a-z]?_");
    /** In RULES.md a number counts where it is defined: in bold. */
    private static final Pattern DEFINED = Pattern.compile("\\*\\*(R\\d+\\.\\d+|B\\d+|I\\d+|S\\d+)\\*\\*");

    private static Set<String> found(Pattern pattern, String text) {
        Set<String> numbers = new TreeSet<>();
        for (Matcher matcher = pattern.matcher(text); matcher.find(); ) {
            numbers.add(matcher.group(1).toUpperCase(java.util.Locale.ROOT).replace('_', '.'));
        }
        return numbers;
    }

    private static Set<String> cited(String suffix, UnaryOperator<String> part) throws IOException {
        Set<String> numbers = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Path.of("src"))) {
            for (Path file : files.filter(path -> path.toString().endsWith(suffix))
                    .filter(path -> !path.endsWith("CitedRulesTest.java"))
                    .toList()) {
                String text = part.apply(Files.readString(file));
                numbers.addAll(found(NUMBER, text));
                numbers.addAll(found(TEST_NAME, text));
            }
        }
        return numbers;
    }

    private static String comments(String scenario) {
        return scenario.lines().filter(line -> line.startsWith("#")).collect(Collectors.joining("\n"));
    }

    private static Set<String> defined(String page) throws IOException {
        return found(DEFINED, Files.readString(Path.of(page)));
    }

    @Test
    void isInTheRules() throws IOException {
        Set<String> cited = cited(".java", text -> text);
        assertThat(cited).contains("R4.12", "B19", "I9", "S36", "S6");
        assertThat(defined("RULES.md")).containsAll(cited);
    }

    /** Scenarios are of brokers and controllers. */
    @Test
    void whatScenariosCiteIsInTheRulesOfOneOrTheOther() throws IOException {
        Set<String> cited = cited(".scenario", CitedRulesTest::comments);
        assertThat(cited).contains("R4.12", "B19", "S36", "R7.41");
        Set<String> defined = defined("RULES.md");
        defined.addAll(defined("../metadata-quorum/RULES.md"));
        assertThat(defined).containsAll(cited);
    }
}
