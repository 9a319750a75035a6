package io.tidemark.quorum.inspect;

import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.quorum.inspect.EntryView.Effect;
import java.util.List;
import java.util.Map;

/** Entries for people: a line each, and an indented one for each record. */
final class EntryText {
    /** More records of one entry are counted, not shown, unless they were asked for. */
    private static final int RECORDS_SHOWN = 100;

    private final Moments moments;
    private final Style style;
    private final TopicNames names;
    private final EntryFilter filter;
    private final StringBuilder line = new StringBuilder();

    EntryText(Moments moments, Style style, TopicNames names, EntryFilter filter) {
        this.moments = moments;
        this.style = style;
        this.names = names;
        this.filter = filter;
    }

    static String header() {
        return String.format("%-10s %-6s %-23s %-18s %s", "INDEX", "TERM", "TIME", "KIND", "WHO AND WHY");
    }

    String of(EntryView view) {
        line.setLength(0);
        pad(Long.toString(view.index()), 11);
        pad(Long.toString(view.raw().term()), 7);
        MetadataEntry entry = view.entry();
        if (entry == null) {
            pad("", 24);
            line.append(style.dim(ratis(view)));
            return line.toString();
        }
        pad(moments.dayAndTime(entry.timestampMs()), 24);
        line.append(style.bold(entry.cause().kind()));
        line.append(" ".repeat(Math.max(1, 19 - entry.cause().kind().length())));
        line.append(cause(entry.cause()));
        mark(view);
        records(entry, view.index());
        return line.toString();
    }

    private void pad(String text, int width) {
        line.append(text).append(" ".repeat(Math.max(1, width - text.length())));
    }

    private static String ratis(EntryView view) {
        return switch (view.raw().kind()) {
            case CONFIGURATION -> "(Ratis: configuration of the group, a leader began)";
            case COMMIT -> "(Ratis: committed up to " + view.raw().commitIndex() + ")";
            case METADATA -> "(cannot be read)";
        };
    }

    /** Who asked and why, with the topics' names. */
    String cause(MetadataEntry.Cause cause) {
        String who = cause.brokerId() >= 0
                ? "broker " + cause.brokerId()
                : cause.client().isEmpty() ? "controller" : "client " + cause.client();
        if (cause.controllerId() >= 0) {
            who += cause.brokerId() < 0 && cause.client().isEmpty()
                    ? " " + cause.controllerId()
                    : " at controller " + cause.controllerId();
        }
        return cause.reason().isEmpty() ? who : who + ": " + names.inWords(cause.reason());
    }

    private void mark(EntryView view) {
        if (view.effect() == Effect.VOID) {
            line.append(style.bad("  VOID"));
        } else if (view.effect() == Effect.UNKNOWN) {
            line.append(style.dim("  (void or not is not known)"));
        }
        if (!view.committed()) {
            line.append(style.dim("  (not known to be committed)"));
        }
        if (view.entry().reply() instanceof QuorumReply.Refused refused && refused.error() != ErrorCode.NONE) {
            line.append("  ").append(style.bad("refused")).append(": ").append(refused.error());
            line.append(' ').append(names.inWords(refused.message()));
        }
    }

    private void records(MetadataEntry entry, long index) {
        List<MetadataRecord> shown = filter.records(entry, names);
        for (MetadataRecord record : shown.subList(0, Math.min(RECORDS_SHOWN, shown.size()))) {
            line.append(System.lineSeparator()).append(" ".repeat(18)).append(text(record, index));
        }
        int more = entry.records().size() - Math.min(RECORDS_SHOWN, shown.size());
        if (more > 0) {
            line.append(System.lineSeparator()).append(" ".repeat(18));
            line.append(style.dim("and " + more + " more records"));
        }
    }

    private String text(MetadataRecord record, long index) {
        StringBuilder text = new StringBuilder(RecordFields.kind(record));
        Map<String, Object> fields = RecordFields.of(record, index, names);
        if (fields.containsKey("partition")) {
            text.append(' ').append(fields.get("topic")).append('-').append(fields.get("partition"));
            fields.keySet().removeAll(List.of("topic", "topicId", "partition"));
        }
        fields.forEach(
                (name, value) -> text.append(' ').append(name).append('=').append(plain(value)));
        return text.toString();
    }

    private static String plain(Object value) {
        if (value instanceof List<?> list) {
            return list.toString().replace(", ", ",");
        }
        return value instanceof String text && (text.isEmpty() || text.contains(" "))
                ? "\"" + text + "\""
                : String.valueOf(value);
    }
}
