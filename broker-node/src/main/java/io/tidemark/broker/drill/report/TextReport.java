package io.tidemark.broker.drill.report;

import io.tidemark.broker.drill.judge.Change;
import io.tidemark.broker.drill.plan.Measure;
import io.tidemark.broker.drill.report.DrillOutcome.Line;
import java.util.List;
import java.util.Locale;

/** For the terminal. */
public final class TextReport {
    private TextReport() {}

    public static String of(DrillOutcome outcome) {
        StringBuilder text = new StringBuilder();
        text.append(outcome.drill().promise()).append("\n\n");
        for (Line line : outcome.lines()) {
            String value = line.value().map(String::valueOf).orElse("not measured");
            text.append(String.format(
                    Locale.ROOT,
                    "  %s %-17s %12s   expected %-12s %s%n",
                    line.holds() ? "ok " : "NOT",
                    line.measure().key(),
                    value,
                    line.expected(),
                    line.measure().meaning()));
            examples(text, outcome.examples().getOrDefault(line.measure(), List.of()));
        }
        text.append("\nchanges of leader or ISR, with the fault that accounts for each:\n");
        for (Change change : outcome.changes()) {
            text.append("  ")
                    .append(seconds(change.timeMs() - outcome.startMs()))
                    .append(' ')
                    .append(change.partition())
                    .append(": ")
                    .append(change.words())
                    .append("\n             <- ")
                    .append(outcome.explanation(change).orElse("UNEXPLAINED"))
                    .append('\n');
        }
        outcome.partitions()
                .forEach((name, partition) -> text.append(String.format(
                        Locale.ROOT,
                        "  %s: longest time without an ack %d ms, from %s%n",
                        name,
                        partition.availability().gapMs(),
                        seconds(partition.availability().fromMs() - outcome.startMs())
                                .strip())));
        outcome.notes().forEach(note -> text.append("  note: ").append(note).append('\n'));
        outcome.problems()
                .forEach(problem -> text.append("  PROBLEM: ").append(problem).append('\n'));
        text.append('\n').append(summary(outcome)).append('\n');
        return text.toString();
    }

    /** One line. */
    public static String summary(DrillOutcome outcome) {
        return String.format(
                Locale.ROOT,
                "%-4s %-28s %8d acked %4d lost %4d dup %4d acks-one-lost  unavailable %6s ms  full ISR %6s ms",
                outcome.held() ? "HELD" : "NOT",
                outcome.drill().name() + (outcome.kafka() ? " (Kafka)" : ""),
                outcome.acked(),
                outcome.found().getOrDefault(Measure.LOST, 0L) + outcome.found().getOrDefault(Measure.WRONG_OFFSET, 0L),
                outcome.found().getOrDefault(Measure.DUPLICATED, 0L),
                outcome.found().getOrDefault(Measure.ACKS_ONE_LOST, 0L),
                figure(outcome, Measure.UNAVAILABLE_MS),
                figure(outcome, Measure.FULL_ISR_MS));
    }

    private static String figure(DrillOutcome outcome, Measure measure) {
        Long value = outcome.found().get(measure);
        return value == null ? "-" : value.toString();
    }

    private static void examples(StringBuilder text, List<String> examples) {
        examples.forEach(example -> text.append("        ").append(example).append('\n'));
    }

    static String seconds(long ms) {
        return String.format(Locale.ROOT, "%+9.3f s", ms / 1000.0);
    }
}
