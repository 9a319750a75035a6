package io.tidemark.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every rule, requirement, invariant or scenario that this module's sources cite is in RULES.md under that number. */
class CitedRulesTest {
    private static final Pattern NUMBER = Pattern.compile("\\b(R\\d+\\.\\d+|B\\d+|I\\d+|S\\d+[a-c]?)\\b");
    /** A test is named after its scenario: "s14bTheLast...". */
    private static final Pattern TEST_NAME = Pattern.compile("void s(\\d+[a-c]?)[A-Z]");
    /** In RULES.md a number counts where it is defined: in bold. */
    private static final Pattern DEFINED = Pattern.compile("\\*\\*(R\\d+\\.\\d+|B\\d+|I\\d+|S\\d+[a-c]?)\\*\\*");

    private static Set<String> found(Pattern pattern, String text, String prefix) {
        Set<String> numbers = new TreeSet<>();
        for (Matcher matcher = pattern.matcher(text); matcher.find(); ) {
            numbers.add(prefix + matcher.group(1));
        }
        return numbers;
    }

    private static Set<String> cited() throws IOException {
        Set<String> numbers = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Path.of("src"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String text = Files.readString(file);
                numbers.addAll(found(NUMBER, text, ""));
                numbers.addAll(found(TEST_NAME, text, "S"));
            }
        }
        return numbers;
    }

    @Test
    void isInTheRules() throws IOException {
        Set<String> defined = found(DEFINED, Files.readString(Path.of("RULES.md")), "");
        assertThat(cited()).contains("R7.44", "B21", "I5", "S14b");
        assertThat(defined).containsAll(cited());
    }
}
