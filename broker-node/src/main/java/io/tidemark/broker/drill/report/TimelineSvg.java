package io.tidemark.broker.drill.report;

import static io.tidemark.broker.drill.report.HtmlReport.escape;

import io.tidemark.broker.drill.judge.Change;
import io.tidemark.broker.drill.judge.Fault;
import io.tidemark.broker.drill.judge.PartitionStateView;
import io.tidemark.broker.drill.report.DrillOutcome.Partition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/**
 * The picture of a drill over time: faults as bands; of each partition a row for every broker (leads, in ISR, in ELR, or
 * out), the high watermark as a line, and acks per 100 ms as columns.
 */
final class TimelineSvg {
    private static final int WIDTH = 1160;
    private static final int LEFT = 142;
    private static final int RIGHT = 12;
    private static final int FAULT_ROW = 17;
    private static final int BROKER_ROW = 16;
    private static final int CHART = 46;
    private static final int GAP = 12;
    private static final int BURST = 4;
    private static final long UNSEEN_MS = 700;

    private static final String LEADS = "#134f8c";
    private static final String IN_SYNC = "#8fbce6";
    private static final String FAULT = "#c8553d";
    private static final String MARK = "#5d3a9b";
    private static final String CUT = "#134d2e";
    private static final String ACKS = "#2f8f5b";

    private final DrillOutcome outcome;
    private final long from;
    private final long to;
    private final StringBuilder svg = new StringBuilder();
    private int y;

    TimelineSvg(DrillOutcome outcome) {
        this.outcome = outcome;
        this.from = outcome.startMs();
        this.to = Math.max(outcome.startMs() + 1, outcome.endMs());
    }

    String draw() {
        int top = 18 + Math.max(1, outcome.faults().size()) * FAULT_ROW + GAP;
        y = top;
        outcome.partitions().forEach(this::partition);
        int height = y + 40;
        StringBuilder page = new StringBuilder();
        page.append("<svg viewBox=\"0 0 ")
                .append(WIDTH)
                .append(' ')
                .append(height)
                .append(
                        "\" xmlns=\"http://www.w3.org/2000/svg\" font-family=\"system-ui, sans-serif\" font-size=\"11\" "
                                + "role=\"img\" aria-label=\"timeline\">\n<defs><pattern id=\"elr\" width=\"6\" height=\"6\" "
                                + "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect width=\"6\" "
                                + "height=\"6\" fill=\"#f6e3b4\"/><rect width=\"2.5\" height=\"6\" fill=\"#d79a1e\"/></pattern>"
                                + "</defs>\n");
        bands(page, top);
        axis(page);
        page.append(svg);
        legend(page, height - 14);
        return page.append("</svg>\n").toString();
    }

    private void bands(StringBuilder page, int top) {
        int row = 18;
        for (Fault fault : outcome.faults()) {
            double left = x(fault.startMs());
            double width = Math.max(2, x(fault.endMs()) - left);
            page.append(rect(left, row, width, y - row, FAULT, 0.08)).append(rect(left, row, width, 3, FAULT, 1));
            boolean fits = left < WIDTH * 0.7;
            page.append(text(fits ? left + 4 : left - 4, row + 14, fits ? "start" : "end", "#8a2f1b", fault.words()));
            row += FAULT_ROW;
        }
        page.append("<line x1=\"")
                .append(LEFT)
                .append("\" x2=\"")
                .append(WIDTH - RIGHT)
                .append("\" y1=\"")
                .append(top - GAP / 2)
                .append("\" y2=\"")
                .append(top - GAP / 2)
                .append("\" stroke=\"#cfd6dd\"/>\n");
    }

    private void axis(StringBuilder page) {
        long seconds = (to - from) / 1000;
        long step = seconds > 60 ? 10 : seconds > 24 ? 5 : seconds > 10 ? 2 : 1;
        for (long second = 0; second <= seconds; second += step) {
            double at = x(from + second * 1000);
            page.append(String.format(
                    Locale.ROOT,
                    "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"16\" y2=\"%d\" stroke=\"#e3e8ee\"/>%n",
                    at,
                    at,
                    y));
            page.append(text(at, 11, "middle", "#6b7885", second + " s"));
        }
    }

    private void partition(String name, Partition partition) {
        svg.append("<text x=\"0\" y=\"")
                .append(y + 12)
                .append("\" font-weight=\"600\" font-size=\"12\">")
                .append(escape(name))
                .append("</text>\n");
        TreeSet<Integer> brokers = new TreeSet<>();
        partition.changes().forEach(change -> brokers.addAll(change.after().replicas()));
        List<Span> spans = spans(partition);
        for (int broker : brokers) {
            svg.append(text(LEFT - 8, y + 12, "end", "#1c2733", "broker " + broker));
            svg.append(rect(LEFT, y + 2, WIDTH - RIGHT - LEFT, BROKER_ROW - 4, "#f3f5f7", 1));
            for (Span span : spans) {
                String fill = fill(span.state, broker);
                if (fill != null) {
                    svg.append(rect(x(span.from), y + 2, x(span.to) - x(span.from), BROKER_ROW - 4, fill, 1));
                }
            }
            y += BROKER_ROW;
        }
        leaderless(spans);
        marks(partition);
        acks(partition);
        y += GAP;
    }

    /** Said once for each time without a leader, however much else changes in it. */
    private void leaderless(List<Span> spans) {
        long begin = -1;
        for (Span span : spans) {
            if (span.state.leader() < 0 && begin < 0) {
                begin = span.from;
            }
            boolean ends = span.state.leader() >= 0 || span.to >= to;
            if (begin >= 0 && ends) {
                double middle = (x(begin) + x(span.state.leader() >= 0 ? span.from : span.to)) / 2;
                svg.append(text(middle, y - BROKER_ROW / 2.0, "middle", "#b3261e", "no leader"));
                begin = -1;
            }
        }
    }

    /** From when to when a partition was in a state. */
    private record Span(long from, long to, PartitionStateView state) {}

    private List<Span> spans(Partition partition) {
        List<Span> spans = new ArrayList<>();
        List<Change> changes = partition.changes();
        for (int i = 0; i < changes.size(); i++) {
            long begin = Math.max(from, changes.get(i).timeMs());
            long end = Math.min(to, i + 1 < changes.size() ? changes.get(i + 1).timeMs() : to);
            if (end > begin) {
                spans.add(new Span(begin, end, changes.get(i).after()));
            }
        }
        return spans;
    }

    private static String fill(PartitionStateView state, int broker) {
        if (state.leader() == broker) {
            return LEADS;
        }
        if (state.isr().contains(broker)) {
            return IN_SYNC;
        }
        return state.elr().contains(broker) ? "url(#elr)" : null;
    }

    private void marks(Partition partition) {
        svg.append(text(LEFT - 8, y + CHART / 2 + 4, "end", MARK, "high watermark"));
        var shown = partition.marks().subMap(from, to + 1);
        if (!shown.isEmpty()) {
            long least =
                    shown.values().stream().mapToLong(Long::longValue).min().orElse(0);
            long most = Math.max(
                    least + 1,
                    shown.values().stream().mapToLong(Long::longValue).max().orElse(1));
            StringBuilder points = new StringBuilder();
            long before = from;
            for (Map.Entry<Long, Long> mark : shown.entrySet()) {
                if (mark.getKey() - before > UNSEEN_MS) {
                    line(points);
                }
                before = mark.getKey();
                double share = (mark.getValue() - least) / (double) (most - least);
                points.append(String.format(
                        Locale.ROOT, "%.1f,%.1f ", x(mark.getKey()), y + CHART - 4 - share * (CHART - 10)));
            }
            line(points);
            svg.append(text(LEFT - 8, y + CHART / 2 + 17, "end", MARK, String.format(Locale.ROOT, "to %,d", most)));
        }
        y += CHART;
    }

    /** A longer time without a look is a gap in the line. */
    private void line(StringBuilder points) {
        if (points.length() > 0) {
            svg.append("<polyline fill=\"none\" stroke=\"")
                    .append(MARK)
                    .append("\" stroke-width=\"1.6\" points=\"")
                    .append(points)
                    .append("\"/>\n");
            points.setLength(0);
        }
    }

    private void acks(Partition partition) {
        svg.append(text(LEFT - 8, y + CHART / 2 + 4, "end", ACKS, "acks per 100 ms"));
        int[] counts = partition.acksPerSlice(from, to);
        int most = Arrays.stream(counts).max().orElse(0);
        int top = Math.min(Math.max(1, most), usual(counts) * BURST);
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                double height = Math.max(1, Math.min(1, counts[i] / (double) top) * (CHART - 6));
                double left = x(from + i * DrillOutcome.SLICE_MS);
                double width = Math.max(0.6, x(from + (i + 1) * DrillOutcome.SLICE_MS) - left - 0.4);
                svg.append(rect(left, y + CHART - height, width, height, ACKS, 1));
                if (counts[i] > top) {
                    svg.append(rect(left, y + CHART - height, width, 4, CUT, 1));
                }
            }
        }
        String scale = "up to " + most + (most > top ? ", cut at " + top : "");
        svg.append(text(LEFT - 8, y + CHART / 2.0 + 17, "end", ACKS, scale));
        y += CHART;
    }

    /** The median of those slices that have any: what is written while an outage is made up for is many times as much. */
    private static int usual(int[] counts) {
        int[] sorted = Arrays.stream(counts).filter(count -> count > 0).sorted().toArray();
        return sorted.length == 0 ? 1 : sorted[sorted.length / 2];
    }

    private void legend(StringBuilder page, int at) {
        String[][] entries = {
            {LEADS, "leads"}, {IN_SYNC, "in ISR"}, {"url(#elr)", "in ELR"}, {"#f3f5f7", "out"}, {FAULT, "fault"}
        };
        int left = LEFT;
        for (String[] entry : entries) {
            page.append(rect(left, at - 9, 16, 10, entry[0], 1))
                    .append(text(left + 21, at, "start", "#1c2733", entry[1]));
            left += 85;
        }
    }

    private double x(long timeMs) {
        long clamped = Math.max(from, Math.min(to, timeMs));
        return LEFT + (clamped - from) / (double) (to - from) * (WIDTH - LEFT - RIGHT);
    }

    private static String rect(double x, double y, double width, double height, String fill, double opacity) {
        return String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" fill-opacity=\"%.2f\"/>%n",
                x,
                y,
                width,
                height,
                fill,
                opacity);
    }

    private static String text(double x, double y, String anchor, String fill, String words) {
        return String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\" stroke=\"#fff\" stroke-width=\"2\" "
                        + "paint-order=\"stroke\">%s</text>%n",
                x,
                y,
                anchor,
                fill,
                escape(words));
    }
}
