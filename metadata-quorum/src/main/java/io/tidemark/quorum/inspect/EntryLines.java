package io.tidemark.quorum.inspect;

/** Entries in the form that was asked for, for people or for programs. */
final class EntryLines {
    private final Output output;
    private final EntryText text;
    private final EntryJson json;

    EntryLines(Output output, TopicNames names, EntryFilter filter) {
        this.output = output;
        this.text = new EntryText(output.moments(), output.style(), names, filter);
        this.json = new EntryJson(names, filter);
    }

    /** What people see above the entries; programs need nothing. */
    void header() {
        if (!output.json()) {
            output.line(output.style().dim(EntryText.header()));
        }
    }

    String of(EntryView view) {
        return output.json() ? json.of(view) : text.of(view);
    }
}
