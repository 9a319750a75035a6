package io.tidemark.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.common.test.api.ClusterTest;
import org.apache.kafka.common.test.api.ClusterTestDefaults;
import org.apache.kafka.common.test.api.ClusterTests;
import org.apache.kafka.common.test.api.Type;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Leaves out tests before a cluster is started for them: those that a rule of the file {@code conformance.exclusions}
 * names (a pattern for the test's name, a tab, the reason), and the combined layout where the isolated one is tested
 * too. The same for every target, so that the lists speak of the same tests.
 */
public final class Exclusions implements ExecutionCondition {
    private static final String LAYOUT =
            "Tidemark has one layout of nodes; the isolated run of this test stands for it";

    private final Map<Pattern, String> rules = read();

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (context.getTestMethod().isEmpty()) {
            return ConditionEvaluationResult.enabled("a class");
        }
        String className = context.getRequiredTestClass().getName();
        String method = context.getRequiredTestMethod().getName();
        return TestName.of(className, method, context.getDisplayName())
                .map(name -> judge(name, context))
                .orElse(ConditionEvaluationResult.enabled("not a run against a cluster"));
    }

    private ConditionEvaluationResult judge(TestName name, ExtensionContext context) {
        if (name.layout().equals("combined") && layouts(context).contains(Type.KRAFT)) {
            return ConditionEvaluationResult.disabled(LAYOUT);
        }
        for (Map.Entry<Pattern, String> rule : rules.entrySet()) {
            if (rule.getKey().matcher(name.toString()).lookingAt()) {
                return ConditionEvaluationResult.disabled(rule.getValue());
            }
        }
        return ConditionEvaluationResult.enabled("no rule against it");
    }

    /** Generated clusters do not say beforehand; Kafka's come in both layouts. */
    private static List<Type> layouts(ExtensionContext context) {
        ClusterTest one = context.getRequiredTestMethod().getAnnotation(ClusterTest.class);
        ClusterTests several = context.getRequiredTestMethod().getAnnotation(ClusterTests.class);
        ClusterTest[] tests =
                several != null ? several.value() : one != null ? new ClusterTest[] {one} : new ClusterTest[0];
        List<Type> named = Arrays.stream(tests)
                .flatMap(test -> Arrays.stream(test.types()))
                .toList();
        ClusterTestDefaults defaults = context.getRequiredTestClass().getAnnotation(ClusterTestDefaults.class);
        if (named.isEmpty() && tests.length > 0 && defaults != null) {
            return List.of(defaults.types());
        }
        return named.isEmpty() ? List.of(Type.KRAFT, Type.CO_KRAFT) : named;
    }

    private static Map<Pattern, String> read() {
        Map<Pattern, String> rules = new LinkedHashMap<>();
        try {
            for (String line : Files.readAllLines(Path.of(System.getProperty("conformance.exclusions")))) {
                if (!line.isBlank() && !line.startsWith("#")) {
                    String[] parts = line.split("\t+", 2);
                    rules.put(Pattern.compile(parts[0]), parts[1]);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return rules;
    }
}
