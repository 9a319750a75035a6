package io.tidemark.model.config;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Typed reading of one set of properties. A bad value is noted and replaced by a stand-in, so that reading goes on and
 * {@link #finish} reports every problem at once. Asking for a key makes it a known key.
 */
public final class ConfigReader {
    private final String source;
    private final Map<String, String> values;
    private final Set<String> asked = new TreeSet<>();
    private final List<String> problems = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    /** @param source what to call these properties in messages, such as the file's name */
    public ConfigReader(String source, Map<String, String> values) {
        this.source = source;
        this.values = new TreeMap<>(values);
    }

    /** Reads a properties file; throws ConfigException if there is none or it cannot be parsed. */
    public static ConfigReader load(Path file) {
        RepeatedKeys properties = new RepeatedKeys();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (NoSuchFileException e) {
            throw new ConfigException(file.toString(), List.of("there is no such file"));
        } catch (IOException | IllegalArgumentException e) {
            throw new ConfigException(file.toString(), List.of("cannot be read: " + e.getMessage()));
        }
        Map<String, String> values = new TreeMap<>();
        properties.forEach((key, value) -> values.put((String) key, ((String) value).strip()));
        ConfigReader reader = new ConfigReader(file.toString(), values);
        properties.repeated.forEach(key -> reader.problem(key + " is given more than once"));
        return reader;
    }

    /** The keys that {@code section} asks for. */
    static Set<String> keysReadBy(Consumer<ConfigReader> section) {
        // A listener with a host, or this machine's name would be looked up for nothing.
        ConfigReader reader = new ConfigReader("no properties", Map.of("listeners", "PLAINTEXT://localhost:9092"));
        section.accept(reader);
        return Set.copyOf(reader.asked);
    }

    /** Whether the key is given, with an empty value or not. */
    public boolean has(String key) {
        asked.add(key);
        return values.containsKey(key);
    }

    /** A whole number; {@code min} and {@code max} are allowed values. */
    public int integer(String key, int fallback, int min, int max) {
        return (int) number(key, fallback, min, max);
    }

    /** A whole number; {@code min} and {@code max} are allowed values. */
    public long number(String key, long fallback, long min, long max) {
        return value(key, fallback, text -> wholeNumber(text, min, max));
    }

    /** A whole number that must be given; 0 or the least allowed value stands in for a missing one. */
    public int requiredInteger(String key, int min, int max) {
        return (int) (long) required(key, (long) Math.max(0, min), text -> wholeNumber(text, min, max));
    }

    public boolean flag(String key, boolean fallback) {
        return value(key, fallback, ConfigReader::trueOrFalse);
    }

    /** Free text, empty where not given. */
    public String text(String key) {
        asked.add(key);
        return values.getOrDefault(key, "");
    }

    /** One of the enum's constants, written in lower case (as Kafka writes such values). */
    public <T extends Enum<T>> T choice(String key, T fallback) {
        return value(key, fallback, text -> constant(fallback.getDeclaringClass(), text));
    }

    /**
     * Any other type. {@code parser} throws IllegalArgumentException with a message that says what would be allowed
     * ("expected ...").
     */
    public <T> T value(String key, T fallback, Function<String, T> parser) {
        asked.add(key);
        String text = values.get(key);
        if (text == null) {
            return fallback;
        }
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            problem(key + " = '" + text + "': " + e.getMessage());
            return fallback;
        }
    }

    /** As {@link #value}, for a key that must be given; {@code standIn} only lets reading go on. */
    public <T> T required(String key, T standIn, Function<String, T> parser) {
        if (!has(key)) {
            problem(key + " is missing");
        }
        return value(key, standIn, parser);
    }

    /** Notes a problem that concerns more than one value; {@link #finish} will throw. */
    public void problem(String problem) {
        problems.add(problem);
    }

    /** What is harmless but worth a log line; complete after {@link #finish}. */
    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    /**
     * Looks at the keys nobody asked for, and throws ConfigException if there was any problem. A key of Kafka or of a
     * role this node does not have only warns; an unknown key is a problem.
     *
     * @param roles the roles this node plays: their keys may be left to another reader of the same properties
     */
    public void finish(Set<NodeRole> roles) {
        for (String key : values.keySet()) {
            if (!asked.contains(key)) {
                judge(key, roles);
            }
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(source, problems);
        }
    }

    private void judge(String key, Set<NodeRole> roles) {
        for (NodeRole role : NodeRole.values()) {
            if (KnownKeys.of(role).contains(key)) {
                if (!roles.contains(role)) {
                    warnings.add(key + " has no effect here: only a " + role.text() + " reads it");
                }
                return;
            }
        }
        if (KnownKeys.isKafkaKey(key)) {
            warnings.add(key + " is a key of Kafka that has no effect here");
            return;
        }
        problem(key + " is not a known key"
                + KnownKeys.closest(key)
                        .map(near -> "; did you mean " + near + "?")
                        .orElse(""));
    }

    private static long wholeNumber(String text, long min, long max) {
        String expected = "expected a whole number "
                + (max == Long.MAX_VALUE || max == Integer.MAX_VALUE
                        ? "of at least " + min
                        : "from " + min + " to " + max);
        try {
            long number = Long.parseLong(text);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(expected, e);
        }
        throw new IllegalArgumentException(expected);
    }

    private static boolean trueOrFalse(String text) {
        if (text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false")) {
            return Boolean.parseBoolean(text);
        }
        throw new IllegalArgumentException("expected true or false");
    }

    private static <T extends Enum<T>> T constant(Class<T> type, String text) {
        List<String> names = new ArrayList<>();
        for (T constant : type.getEnumConstants()) {
            String name = constant.name().toLowerCase(Locale.ROOT);
            if (name.equals(text)) {
                return constant;
            }
            names.add(name);
        }
        throw new IllegalArgumentException("expected " + String.join(" or ", names));
    }

    /** Properties that notice a repeated key, of which plain properties silently keep the last. */
    private static final class RepeatedKeys extends Properties {
        private static final long serialVersionUID = 1L;

        private final transient Set<String> repeated = new TreeSet<>();

        @Override
        public synchronized Object put(Object key, Object value) {
            if (containsKey(key)) {
                repeated.add((String) key);
            }
            return super.put(key, value);
        }
    }
}
