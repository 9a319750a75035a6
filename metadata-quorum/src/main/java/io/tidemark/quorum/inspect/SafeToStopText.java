package io.tidemark.quorum.inspect;

import io.tidemark.model.codec.Json;
import io.tidemark.quorum.inspect.SafeToStop.Answer;
import java.io.PrintStream;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The answer whether a node may be stopped, for people and for programs. */
final class SafeToStopText {
    /** Longer lists of partitions are cut, so that the rest can be read; JSON has all. */
    private static final int MAX_ROWS = 20;

    private SafeToStopText() {}

    static void print(PrintStream out, int node, SafeToStop answer) {
        int all = answer.partitions().size();
        int against = answer.against().size();
        out.println("node " + node + (answer.safe() ? " is safe to stop" : " is NOT safe to stop")
                + (all == 0
                        ? ""
                        : against == 0
                                ? ": each of the " + all + " partitions with a replica there bears it"
                                : ": " + against + " of " + all + " partitions with a replica there do not bear it"));
        answer.reasons().forEach(out::println);
        answer.notes().forEach(note -> out.println("note: " + note));
        List<Answer> rows = answer.partitions().stream()
                .sorted(Comparator.comparing(Answer::safe))
                .toList();
        rows.stream().limit(MAX_ROWS).forEach(row -> out.println(line(row)));
        if (rows.size() > MAX_ROWS) {
            out.println("  ... and " + (rows.size() - MAX_ROWS) + " more");
        }
    }

    private static String line(Answer row) {
        return "  " + (row.safe() ? "safe  " : "UNSAFE") + " " + row.partition().name() + " ISR="
                + row.partition().state().isr() + " left=" + row.left() + " ELR="
                + row.partition().state().elr() + " min.ISR="
                + row.partition().state().minIsr() + (row.safe() ? "" : ": " + row.reason());
    }

    static String json(int node, SafeToStop answer) {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("node", node);
        root.put("safe", answer.safe());
        root.put("reasons", answer.reasons());
        root.put("notes", answer.notes());
        root.put(
                "partitions",
                answer.partitions().stream().map(SafeToStopText::row).toList());
        return Json.of(root);
    }

    private static Map<String, Object> row(Answer answer) {
        Map<String, Object> row = StatusJson.of(answer.partition());
        row.put("left", answer.left());
        row.put("safe", answer.safe());
        row.put("reason", answer.reason());
        return row;
    }
}
