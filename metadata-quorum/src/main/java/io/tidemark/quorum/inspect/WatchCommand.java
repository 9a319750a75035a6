package io.tidemark.quorum.inspect;

import io.tidemark.model.codec.QueryCodec.QueryFailedException;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.quorum.files.RawEntry;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Entries of a running cluster as they commit. */
@Command(
        name = "watch",
        mixinStandardHelpOptions = true,
        description =
                "Shows the entries of a running cluster as they commit, until it is interrupted. If the controller ends that"
                        + " is read, another one is.",
        footer = {"", "Examples:", "  metadata-log.sh watch", "  metadata-log.sh watch --topic orders --json"})
final class WatchCommand implements Callable<Integer> {
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    @Mixin
    private LogOptions options;

    @Mixin
    private FilterOptions filters;

    @Option(names = "--no-ops", description = "also the empty entries of an idle cluster")
    private boolean noOps;

    @Option(names = "--count", paramLabel = "N", description = "end after that many entries")
    private long count = Long.MAX_VALUE;

    @Override
    public Integer call() throws IOException {
        Output output = options.output();
        EntryFilter filter = filters.filter(options);
        LiveSource source = options.live(output);
        try {
            long next = source.committed() + 1;
            // From the nearest image up to now, to know what topics are called and what the next entry must be based
            // on.
            long start = source.behindImageBefore(Long.MAX_VALUE);
            Chain chain = new Chain(source, start);
            new EntryStream(source, output::finding).read(start, next - 1, new Watching(chain, null));
            Shown shown = new Shown(output, filter, new EntryLines(output, chain.names(), filter));
            Watching watching = new Watching(chain, shown);
            watching.next = next;
            shown.lines().header();
            output.flush();
            while (watching.go) {
                try {
                    if (source.await(watching.next)) {
                        new EntryStream(source, output::finding).read(watching.next, Long.MAX_VALUE, watching);
                        output.flush();
                    }
                } catch (IOException | QueryFailedException e) {
                    source.close();
                    source = another(source.name(), e, output);
                }
            }
        } finally {
            source.close();
        }
        return output.status();
    }

    /** What is watched goes on while there is any controller; while there is none, it is waited for. */
    private LiveSource another(String lost, Exception problem, Output output) {
        output.remark(lost + " does not answer any more: " + ControllerClient.firstLine(problem));
        String told = "";
        while (true) {
            try {
                LiveSource source = options.live(output);
                output.remark("going on with " + source.name());
                return source;
            } catch (IOException e) {
                if (!told.equals(e.getMessage())) {
                    told = e.getMessage();
                    output.remark("waiting: " + told);
                }
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
    }

    private record Shown(Output output, EntryFilter filter, EntryLines lines) {}

    private final class Watching implements EntryStream.Visitor {
        private final Chain chain;
        /** Null for entries from before. */
        private final Shown shown;

        private long next;
        private long told;
        private boolean go = true;

        Watching(Chain chain, Shown shown) {
            this.chain = chain;
            this.shown = shown;
        }

        @Override
        public boolean entry(RawEntry raw, MetadataEntry entry, boolean unreadable) throws IOException {
            EntryView.Effect effect = chain.meet(raw.index(), entry, unreadable);
            next = raw.index() + 1;
            if (shown == null || entry == null || !wanted(entry)) {
                return true;
            }
            EntryView view = new EntryView(raw, entry, effect, true);
            go = shown.output().line(shown.lines().of(view)) && ++told < count;
            return go;
        }

        private boolean wanted(MetadataEntry entry) {
            return shown.filter().takes(entry, chain.names())
                    && (noOps || !entry.cause().kind().equals("NoOp"));
        }

        @Override
        public void gap(long first, long last, boolean bridged) {
            chain.gap();
        }
    }
}
