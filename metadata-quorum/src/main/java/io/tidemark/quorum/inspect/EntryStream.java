package io.tidemark.quorum.inspect;

import io.tidemark.model.codec.RecordCodec;
import io.tidemark.model.codec.UnreadableException;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.quorum.files.Finding;
import io.tidemark.quorum.files.MetadataSource;
import io.tidemark.quorum.files.RawEntry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * The entries of a source, decoded. Reading, decoding and the visitor's work go on at the same time, a bounded number of
 * entries ahead of the visitor, who sees them in order and on its own thread.
 */
final class EntryStream {
    private static final int BATCH_ENTRIES = 512;
    private static final int BATCH_BYTES = 1 << 20;
    private static final int BATCHES_AHEAD = 6;

    /** Behind the last one. */
    private static final Batch END = new Batch(List.of());

    private final MetadataSource source;
    private final Consumer<Finding> findings;

    /** Takes what is read; see {@link MetadataSource.Visitor}. */
    interface Visitor {
        /**
         * False for enough.
         *
         * @param entry null for an entry of Ratis' own, and for one that cannot be decoded
         * @param unreadable it is ours and cannot be decoded
         */
        boolean entry(RawEntry raw, MetadataEntry entry, boolean unreadable) throws IOException;

        default void gap(long first, long last, boolean bridged) throws IOException {}
    }

    private record Gap(long first, long last, boolean bridged) {}

    /** Each is an entry, or a gap before the next one. */
    private record Item(RawEntry raw, Gap gap, MetadataEntry entry, String problem) {}

    private record Batch(List<Item> items) {}

    EntryStream(MetadataSource source, Consumer<Finding> findings) {
        this.source = source;
        this.findings = findings;
    }

    /** True at the end, false if the visitor had enough before. Throws IOException if the source cannot be read at all. */
    boolean read(long from, long to, Visitor visitor) throws IOException {
        ExecutorService decoders = Executors.newFixedThreadPool(
                Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors())), EntryStream::daemon);
        ExecutorService readers = Executors.newSingleThreadExecutor(EntryStream::daemon);
        BlockingQueue<Future<Batch>> batches = new ArrayBlockingQueue<>(BATCHES_AHEAD);
        try {
            Reading reading = new Reading(decoders, batches);
            Future<?> done = readers.submit(() -> {
                try {
                    source.read(from, to, reading);
                } finally {
                    reading.end();
                }
                return null;
            });
            if (!pass(batches, visitor)) {
                return false;
            }
            done.get();
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            readers.shutdownNow();
            decoders.shutdownNow();
        }
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "metadata-log");
        thread.setDaemon(true);
        return thread;
    }

    /** True at the end, false if the visitor had enough before. */
    private boolean pass(BlockingQueue<Future<Batch>> batches, Visitor visitor)
            throws InterruptedException, ExecutionException, IOException {
        while (true) {
            Batch batch = batches.take().get();
            if (batch == END) {
                return true;
            }
            for (Item item : batch.items()) {
                if (!pass(item, visitor)) {
                    return false;
                }
            }
        }
    }

    private boolean pass(Item item, Visitor visitor) throws IOException {
        if (item.gap() != null) {
            visitor.gap(item.gap().first(), item.gap().last(), item.gap().bridged());
            return true;
        }
        RawEntry raw = item.raw();
        if (item.problem() != null) {
            findings.accept(Finding.damage(raw.file(), raw.position(), "entry " + raw.index() + ": " + item.problem()));
        }
        return visitor.entry(raw, item.entry(), item.problem() != null);
    }

    private static Batch decode(List<Item> items) {
        List<Item> decoded = new ArrayList<>(items.size());
        for (Item item : items) {
            decoded.add(item.raw() == null || !item.raw().isMetadata() ? item : decode(item.raw()));
        }
        return new Batch(decoded);
    }

    private static Item decode(RawEntry raw) {
        try {
            return new Item(raw, null, RecordCodec.decode(raw.data()), null);
        } catch (UnreadableException e) {
            return new Item(raw, null, null, e.getMessage());
        }
    }

    /** Gathers what the source passes; on the reading thread. */
    private static final class Reading implements MetadataSource.Visitor {
        private final ExecutorService decoders;
        private final BlockingQueue<Future<Batch>> batches;
        private List<Item> items = new ArrayList<>();
        private int bytes;

        Reading(ExecutorService decoders, BlockingQueue<Future<Batch>> batches) {
            this.decoders = decoders;
            this.batches = batches;
        }

        @Override
        public boolean entry(RawEntry entry) throws IOException {
            items.add(new Item(entry, null, null, null));
            bytes += entry.data().length;
            if (items.size() >= BATCH_ENTRIES || bytes >= BATCH_BYTES) {
                flush();
            }
            return true;
        }

        @Override
        public void gap(long first, long last, boolean bridged) {
            items.add(new Item(null, new Gap(first, last, bridged), null, null));
        }

        private void flush() throws IOException {
            List<Item> full = items;
            items = new ArrayList<>();
            bytes = 0;
            try {
                batches.put(decoders.submit(() -> decode(full)));
            } catch (InterruptedException e) {
                // The visitor has enough.
                Thread.currentThread().interrupt();
                throw new IOException("enough", e);
            }
        }

        void end() throws IOException, InterruptedException {
            flush();
            batches.put(decoders.submit(() -> END));
        }
    }
}
