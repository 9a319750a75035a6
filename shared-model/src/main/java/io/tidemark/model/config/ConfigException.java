package io.tidemark.model.config;

import java.util.List;

/** A configuration that cannot be used; carries every problem found, not only the first. */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    public ConfigException(String source, List<String> problems) {
        super(message(source, problems));
        this.problems = List.copyOf(problems);
    }

    /** One sentence per problem, in the order found; at least one. */
    public List<String> problems() {
        return problems;
    }

    private static String message(String source, List<String> problems) {
        String count = problems.size() == 1 ? "1 problem" : problems.size() + " problems";
        return source + ": " + count + "\n  - " + String.join("\n  - ", problems);
    }
}
