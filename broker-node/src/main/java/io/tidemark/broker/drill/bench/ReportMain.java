package io.tidemark.broker.drill.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Turns noted figures into a table and JSON: the median of each, the ratio of Tidemark to Kafka, and the mark. */
public final class ReportMain {
    private static final String TIDEMARK = "tidemark";
    private static final String KAFKA = "kafka";
    /** Not a cluster: its values stand in the first column and are compared with nothing. */
    private static final String BARE = "bare";

    private final Map<Figure, Map<String, List<Double>>> values;
    private final List<String> settings;

    private ReportMain(Map<Figure, Map<String, List<Double>>> values, List<String> settings) {
        this.values = values;
        this.settings = settings;
    }

    /** Arguments: the file of figures, the file for JSON, and the settings as {@code name=value}. */
    public static void main(String[] arguments) throws IOException {
        ReportMain report = read(
                Files.readAllLines(Path.of(arguments[0])), List.of(arguments).subList(2, arguments.length));
        System.out.print(report.table());
        Files.writeString(Path.of(arguments[1]), report.json());
    }

    static ReportMain read(List<String> lines, List<String> settings) {
        Map<Figure, Map<String, List<Double>>> values = lines.stream()
                .map(line -> line.split("\t"))
                .collect(Collectors.groupingBy(
                        words -> Figure.valueOf(words[1]),
                        TreeMap::new,
                        Collectors.groupingBy(
                                words -> words[0],
                                Collectors.mapping(words -> Double.parseDouble(words[2]), Collectors.toList()))));
        return new ReportMain(values, settings);
    }

    String table() {
        StringBuilder table = new StringBuilder();
        table.append(String.format(
                Locale.ROOT,
                "%-52s %-12s %12s %12s %7s %8s%n",
                "work (medians)",
                "unit",
                TIDEMARK,
                KAFKA,
                "ratio",
                "mark"));
        for (Figure figure : values.keySet()) {
            double ours = ours(figure);
            double theirs = median(figure, KAFKA);
            table.append(String.format(
                    Locale.ROOT,
                    "%-52s %-12s %12s %12s %7s %8s%s%n",
                    figure.title(),
                    figure.unit(),
                    shown(ours),
                    shown(theirs),
                    shown(ours / theirs),
                    figure.mark(),
                    verdict(figure, ours, theirs)));
        }
        return table + limit();
    }

    /** How far both are from what sockets and files cost at least, where that was measured. */
    private String limit() {
        if (!values.containsKey(Figure.BARE_GROWING) || !values.containsKey(Figure.CPU_1000)) {
            return "";
        }
        double bare = median(Figure.BARE_GROWING, BARE);
        return String.format(
                Locale.ROOT,
                "%-52s %-12s %12s %12s%n",
                "CPU at 1000 B to bare sockets, growing files",
                "times",
                shown(median(Figure.CPU_1000, TIDEMARK) / bare),
                shown(median(Figure.CPU_1000, KAFKA) / bare));
    }

    private double ours(Figure figure) {
        return median(figure, values.get(figure).containsKey(BARE) ? BARE : TIDEMARK);
    }

    String json() {
        String rows = values.entrySet().stream()
                .map(entry -> json(entry.getKey(), entry.getValue()))
                .collect(Collectors.joining(",\n    ", "[\n    ", "\n  ]"));
        String facts = settings.stream()
                .map(setting -> setting.split("=", 2))
                .map(words -> quoted(words[0]) + ": " + quoted(words[1]))
                .collect(Collectors.joining(",\n    ", "{\n    ", "\n  }"));
        return "{\n  \"settings\": " + facts + ",\n  \"figures\": " + rows + "\n}\n";
    }

    private String json(Figure figure, Map<String, List<Double>> byTarget) {
        double ours = ours(figure);
        double theirs = median(figure, KAFKA);
        String measured = byTarget.entrySet().stream()
                .map(entry -> quoted(entry.getKey()) + ": " + entry.getValue())
                .collect(Collectors.joining(", ", "{", "}"));
        return "{\"figure\": " + quoted(figure.name())
                + ", \"title\": " + quoted(figure.title().strip())
                + ", \"unit\": " + quoted(figure.unit())
                + ", \"tidemark\": " + number(ours)
                + ", \"kafka\": " + number(theirs)
                + ", \"ratio\": " + number(ours / theirs)
                + ", \"mark\": " + quoted(figure.mark().toString())
                + ", \"reached\": " + figure.mark().isReached(ours, theirs)
                + ", \"values\": " + measured + "}";
    }

    /** NaN if there is none. */
    private double median(Figure figure, String target) {
        List<Double> sorted = values.get(figure).getOrDefault(target, List.of()).stream()
                .sorted()
                .toList();
        if (sorted.isEmpty()) {
            return Double.NaN;
        }
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    private static String verdict(Figure figure, double ours, double theirs) {
        boolean compared = !Double.isNaN(ours) && (figure.mark().kind() == Mark.Kind.ZERO || !Double.isNaN(theirs));
        return compared && !figure.mark().isReached(ours, theirs) ? "  MISSED" : "";
    }

    private static String shown(double value) {
        if (!Double.isFinite(value)) {
            return "-";
        }
        return String.format(Locale.ROOT, Math.abs(value) >= 1000 ? "%,.0f" : "%.2f", value);
    }

    private static String number(double value) {
        return Double.isFinite(value) ? Double.toString(value) : "null";
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
