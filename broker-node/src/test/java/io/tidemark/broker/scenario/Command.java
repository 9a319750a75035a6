package io.tidemark.broker.scenario;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One line of a scenario: a verb, its arguments, and options as key=value. */
final class Command {
    private static final Pattern WORD = Pattern.compile("(?:[^\\s\"]|\"[^\"]*\")+");
    private static final Pattern OPTION = Pattern.compile("([a-z][a-z-]*)=(.*)", Pattern.DOTALL);
    /** Configuration keys have dots and are values, not options. */
    private static final Pattern SETTING = Pattern.compile("[a-z]+(\\.[a-z.]+)+=.*");

    private final String text;
    private final String where;
    private final String verb;
    private final List<String> arguments = new ArrayList<>();
    private final Map<String, String> options = new LinkedHashMap<>();

    /** @param where file and line, for errors */
    Command(String text, String where) {
        this.text = text;
        this.where = where;
        List<String> words = new ArrayList<>();
        for (Matcher matcher = WORD.matcher(text); matcher.find(); ) {
            words.add(matcher.group());
        }
        this.verb = words.get(0);
        for (String word : words.subList(1, words.size())) {
            Matcher option = OPTION.matcher(word);
            if (!SETTING.matcher(word).matches() && option.matches()) {
                options.put(option.group(1), unquoted(option.group(2)));
            } else {
                arguments.add(unquoted(word));
            }
        }
    }

    private static String unquoted(String word) {
        return word.replace("\"", "");
    }

    String text() {
        return text;
    }

    String where() {
        return where;
    }

    String verb() {
        return verb;
    }

    List<String> arguments() {
        return arguments;
    }

    /** Ends the scenario if this does not fit what that verb takes. */
    void checkAgainst(Verb taken) {
        for (String key : options.keySet()) {
            if (!taken.options().contains(key)) {
                throw new ScenarioException("'" + verb + "' has no option '" + key + "', only " + taken.options());
            }
        }
        if (arguments.size() < taken.atLeast() || arguments.size() > taken.atMost()) {
            throw new ScenarioException("'" + verb + "' takes " + taken.atLeast()
                    + (taken.atMost() == Integer.MAX_VALUE ? " or more" : " to " + taken.atMost())
                    + " arguments, not " + arguments);
        }
    }

    String argument(int number) {
        return arguments.get(number);
    }

    /** Whether the argument of that number is there, and then it must be that word. */
    boolean says(int number, String word) {
        return arguments.size() > number && word(number, word).equals(word);
    }

    /** The argument of that number, which must be one of those words. */
    String word(int number, String... words) {
        return oneOf(argument(number), words);
    }

    private String oneOf(String value, String... words) {
        if (!List.of(words).contains(value)) {
            throw new ScenarioException("'" + verb + "' does not know '" + value + "', only " + List.of(words));
        }
        return value;
    }

    /** That option, which must be there and one of those words. */
    String requiredWord(String key, String... words) {
        return oneOf(required(key), words);
    }

    int broker(int number) {
        return Math.toIntExact(number(arguments.get(number), "a broker"));
    }

    /** Of "[1,2]" or "1". */
    List<Integer> brokers(int number) {
        return list(arguments.get(number), "brokers");
    }

    boolean has(String option) {
        return options.containsKey(option);
    }

    String option(String key, String otherwise) {
        return options.getOrDefault(key, otherwise);
    }

    String required(String key) {
        String value = options.get(key);
        if (value == null) {
            throw new ScenarioException("'" + verb + "' needs " + key + "=..");
        }
        return value;
    }

    long number(String key, long otherwise) {
        String value = options.get(key);
        return value == null ? otherwise : number(value, key);
    }

    int integer(String key, int otherwise) {
        return Math.toIntExact(number(key, otherwise));
    }

    List<Integer> listOption(String key, List<Integer> otherwise) {
        String value = options.get(key);
        return value == null ? otherwise : list(value, key);
    }

    private static long number(String value, String what) {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new ScenarioException("'" + value + "' is no number for " + what);
        }
    }

    private static List<Integer> list(String value, String what) {
        String inner = value.startsWith("[") && value.endsWith("]") ? value.substring(1, value.length() - 1) : value;
        return inner.isEmpty()
                ? List.of()
                : Arrays.stream(inner.split(","))
                        .map(item -> Math.toIntExact(number(item, what)))
                        .toList();
    }
}
