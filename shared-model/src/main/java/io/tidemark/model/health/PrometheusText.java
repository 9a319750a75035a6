package io.tidemark.model.health;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Metrics in the text format 0.0.4 that Prometheus reads; those of one name together. */
final class PrometheusText {
    static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private record Line(String name, Metric metric) {}

    private PrometheusText() {}

    static String of(List<Metric> metrics) {
        List<Line> lines = metrics.stream()
                .map(metric -> new Line(metric.name().prometheusName(), metric))
                // Stable: the values of one name stay in the order of their source.
                .sorted(Comparator.comparing(Line::name))
                .toList();
        StringBuilder text = new StringBuilder();
        String last = "";
        for (Line line : lines) {
            if (!line.name.equals(last)) {
                last = line.name;
                text.append("# TYPE ").append(last).append(line.metric.counts() ? " counter\n" : " gauge\n");
            }
            text.append(line.name);
            labels(line.metric.name().tags(), text);
            text.append(' ').append(line.metric.value()).append('\n');
        }
        return text.toString();
    }

    private static void labels(Map<String, String> tags, StringBuilder text) {
        if (tags.isEmpty()) {
            return;
        }
        String between = "{";
        for (Map.Entry<String, String> tag : tags.entrySet()) {
            text.append(between).append(tag.getKey()).append("=\"");
            escaped(tag.getValue(), text);
            text.append('"');
            between = ",";
        }
        text.append('}');
    }

    private static void escaped(String value, StringBuilder text) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '\n') {
                text.append("\\n");
            } else if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else {
                text.append(c);
            }
        }
    }
}
