package io.tidemark.conformance;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the lists call one run of a test: {@code org.example.FooTest.method} and {@code isolated} or {@code combined},
 * the layout of Kafka's nodes that the test asked for. Runs of the same method and layout that differ in their cluster
 * are told apart by a number from the second on.
 */
record TestName(String className, String method, String layout) {
    private static final Pattern LAYOUT = Pattern.compile("\\bType=Raft-(Isolated|Combined)\\b");

    /** Empty for what is no run of a test against a cluster. */
    static Optional<TestName> of(String className, String method, String displayName) {
        Matcher found = LAYOUT.matcher(displayName);
        return found.find()
                ? Optional.of(new TestName(className, method, found.group(1).toLowerCase(Locale.ROOT)))
                : Optional.empty();
    }

    /** @param ordinal 1 for the first run of this name */
    String numbered(int ordinal) {
        return this + (ordinal == 1 ? "" : " " + ordinal);
    }

    @Override
    public String toString() {
        return className + "." + method + " " + layout;
    }
}
