package io.tidemark.quorum.inspect;

import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.quorum.files.MetadataSource;
import io.tidemark.quorum.files.RawEntry;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Every entry, or those that were asked for. */
@Command(
        name = "dump",
        mixinStandardHelpOptions = true,
        description = "Shows the entries of the log: index, term, time, cause, records, and whether they took effect.",
        footer = {
            "",
            "Examples:",
            "  metadata-log.sh dump --topic orders --partition 0",
            "  metadata-log.sh dump --from 12:00 --to 12:05 --kind FenceBrokers",
            "  metadata-log.sh --dir DIR dump --json | jq ."
        })
final class DumpCommand implements Callable<Integer> {
    @Mixin
    private LogOptions options;

    @Mixin
    private FilterOptions filters;

    @Option(names = "--from", paramLabel = "POINT", description = "from that index or time on")
    private String from;

    @Option(names = "--to", paramLabel = "POINT", description = "up to that index or time")
    private String to;

    @Option(names = "--raft", description = "Ratis' own entries too")
    private boolean raft;

    @Override
    public Integer call() throws IOException {
        Output output = options.output();
        Point begin = options.point("--from", from, output.moments());
        Point end = options.point("--to", to, output.moments());
        EntryFilter filter = filters.filter(options);
        try (MetadataSource source = options.open(output)) {
            long start = start(source, begin, output);
            Dumping dumping =
                    new Dumping(output, filter, new Chain(source, start), start, source.committed(), begin, end);
            dumping.lines.header();
            new EntryStream(source, output::finding).read(start, dumping.lastIndex(), dumping);
        }
        return output.status();
    }

    /** The index to begin reading at: that of the nearest image before, from which the chain is known. */
    private static long start(MetadataSource source, Point begin, Output output) throws IOException {
        if (begin == null) {
            return 0;
        }
        if (begin.isTime()) {
            return new Timeline(source, output::finding).before(begin.timeMs() - 1);
        }
        return source.behindImageBefore(begin.index());
    }

    private final class Dumping implements EntryStream.Visitor {
        private final Output output;
        private final EntryFilter filter;
        private final Chain chain;
        private final long committed;
        private final Point begin;
        private final Point end;
        private final EntryLines lines;
        /** Index of the first entry that was asked for. */
        private final long first;

        private boolean any;
        private int shown;

        Dumping(Output output, EntryFilter filter, Chain chain, long start, long committed, Point begin, Point end) {
            this.output = output;
            this.filter = filter;
            this.chain = chain;
            this.committed = committed;
            this.begin = begin;
            this.end = end;
            this.first = begin == null || begin.isTime() ? start : begin.index();
            this.lines = new EntryLines(output, chain.names(), filter);
        }

        long lastIndex() {
            return end == null || end.isTime() ? Long.MAX_VALUE : end.index();
        }

        @Override
        public boolean entry(RawEntry raw, MetadataEntry entry, boolean unreadable) throws IOException {
            output.progress(raw.index());
            if (!any && raw.index() > first) {
                output.remark("note: what is here begins at index " + raw.index());
            }
            any = true;
            EntryView.Effect effect = chain.meet(raw.index(), entry, unreadable);
            if (entry != null && end != null && end.isTime() && entry.timestampMs() > end.timeMs()) {
                return false;
            }
            if (!shown(raw, entry, unreadable)) {
                return true;
            }
            EntryView view = new EntryView(raw, entry, effect, raw.index() <= committed);
            String line = lines.of(view);
            if ((++shown & 0xff) == 0) {
                return output.line(line);
            }
            output.quick(line);
            return true;
        }

        private boolean shown(RawEntry raw, MetadataEntry entry, boolean unreadable) {
            if (begin != null && !begin.isTime() && raw.index() < begin.index()) {
                return false;
            }
            if (entry == null) {
                return raft || unreadable;
            }
            return (begin == null || !begin.isTime() || entry.timestampMs() >= begin.timeMs())
                    && filter.takes(entry, chain.names());
        }

        @Override
        public void gap(long first, long last, boolean bridged) {
            chain.gap();
            any = true;
            if (!output.json()) {
                output.quick(output.style().bad("... entries " + first + " to " + last + " are not here"));
            }
        }
    }
}
