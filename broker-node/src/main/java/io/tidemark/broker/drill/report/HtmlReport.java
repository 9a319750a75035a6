package io.tidemark.broker.drill.report;

import io.tidemark.broker.drill.judge.Change;
import io.tidemark.broker.drill.judge.Fault;
import io.tidemark.broker.drill.report.DrillOutcome.Line;
import java.util.Locale;

/** One page that needs nothing else: the verdict, the timeline as a picture, every change with its cause. */
public final class HtmlReport {
    private static final String STYLE = """
            body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 1180px; padding: 0 1rem;
                   color: #1c2733; background: #fff; }
            h1 { font-size: 1.5rem; margin-bottom: 0.2rem; }
            h2 { font-size: 1.1rem; margin-top: 2rem; }
            .promise { color: #4a5866; max-width: 60rem; }
            .verdict { display: inline-block; padding: 0.3rem 0.9rem; border-radius: 4px; color: #fff;
                       font-weight: 600; margin: 0.6rem 0; }
            .held { background: #1d7a46; } .not { background: #b3261e; }
            table { border-collapse: collapse; width: 100%; }
            td, th { text-align: left; padding: 0.3rem 0.8rem 0.3rem 0; border-bottom: 1px solid #e3e8ee;
                     vertical-align: top; }
            .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; width: 1%; }
            tr.bad td { color: #b3261e; font-weight: 600; }
            .small { color: #6b7885; font-size: 0.85rem; }
            svg { width: 100%; height: auto; }
            """;

    private HtmlReport() {}

    public static String of(DrillOutcome outcome) {
        StringBuilder page = new StringBuilder(32_000);
        page.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>")
                .append(escape(outcome.drill().name()))
                .append("</title><style>\n")
                .append(STYLE)
                .append("</style></head><body>\n<h1>")
                .append(escape(outcome.drill().name()))
                .append(outcome.kafka() ? " <span class=\"small\">on Kafka</span>" : "")
                .append("</h1>\n<p class=\"promise\">")
                .append(escape(outcome.drill().promise()))
                .append("</p>\n<div class=\"verdict ")
                .append(outcome.held() ? "held\">held" : "not\">not held")
                .append("</div>\n<p>")
                .append(String.format(
                        Locale.ROOT,
                        "%,d records acknowledged with acks=all, %,d with acks=1, in %.1f s of load.",
                        outcome.acked(),
                        outcome.ackedOne(),
                        (outcome.endMs() - outcome.startMs()) / 1000.0))
                .append("</p>\n");
        outcome.problems()
                .forEach(problem -> page.append("<p class=\"verdict not\">")
                        .append(escape(problem))
                        .append("</p>\n"));
        page.append("<h2>Timeline</h2>\n").append(new TimelineSvg(outcome).draw());
        measures(page, outcome);
        faults(page, outcome);
        changes(page, outcome);
        outcome.notes()
                .forEach(note ->
                        page.append("<p class=\"small\">").append(escape(note)).append("</p>\n"));
        return page.append("</body></html>\n").toString();
    }

    private static void measures(StringBuilder page, DrillOutcome outcome) {
        page.append("<h2>What was measured</h2>\n<table><tr><th>measure</th><th class=\"n\">value</th><th>expected</th>"
                + "<th>meaning</th></tr>\n");
        for (Line line : outcome.lines()) {
            page.append(line.holds() ? "<tr><td>" : "<tr class=\"bad\"><td>")
                    .append(line.measure().key())
                    .append("</td><td class=\"n\">")
                    .append(line.value()
                            .map(value -> String.format(Locale.ROOT, "%,d", value))
                            .orElse("not measured"))
                    .append("</td><td>")
                    .append(line.expected())
                    .append("</td><td>")
                    .append(escape(line.measure().meaning()));
            outcome.examples()
                    .getOrDefault(line.measure(), java.util.List.of())
                    .forEach(example -> page.append("<br><span class=\"small\">")
                            .append(escape(example))
                            .append("</span>"));
            page.append("</td></tr>\n");
        }
        page.append("</table>\n");
    }

    private static void faults(StringBuilder page, DrillOutcome outcome) {
        page.append(
                "<h2>What was done</h2>\n<table><tr><th class=\"n\">from</th><th class=\"n\">to</th><th>step</th></tr>\n");
        for (Fault fault : outcome.faults()) {
            page.append("<tr><td class=\"n\">")
                    .append(TextReport.seconds(fault.startMs() - outcome.startMs()))
                    .append("</td><td class=\"n\">")
                    .append(TextReport.seconds(fault.endMs() - outcome.startMs()))
                    .append("</td><td>")
                    .append(escape(fault.words()))
                    .append("</td></tr>\n");
        }
        page.append("</table>\n");
    }

    private static void changes(StringBuilder page, DrillOutcome outcome) {
        page.append(
                "<h2>Changes of leader and ISR</h2>\n<table><tr><th class=\"n\">at</th><th>partition</th><th>change and cause"
                        + "</th><th>accounted for by</th></tr>\n");
        for (Change change : outcome.changes()) {
            String by = outcome.explanation(change).orElse(null);
            page.append(by == null ? "<tr class=\"bad\"><td class=\"n\">" : "<tr><td class=\"n\">")
                    .append(TextReport.seconds(change.timeMs() - outcome.startMs()))
                    .append("</td><td>")
                    .append(escape(change.partition().toString()))
                    .append("</td><td>")
                    .append(escape(change.words()))
                    .append("</td><td>")
                    .append(by == null ? "nothing that was done" : escape(by))
                    .append("</td></tr>\n");
        }
        page.append("</table>\n");
    }

    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
