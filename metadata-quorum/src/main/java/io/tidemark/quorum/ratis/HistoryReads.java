package io.tidemark.quorum.ratis;

import io.tidemark.model.codec.QueryCodec;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.QuorumQuery.HistoryAnswer;
import io.tidemark.model.metadata.QuorumQuery.KeyframeRef;
import io.tidemark.model.metadata.QuorumQuery.StoredEntry;
import io.tidemark.quorum.files.DirectorySource;
import io.tidemark.quorum.files.Finding;
import io.tidemark.quorum.files.MetadataSource;
import io.tidemark.quorum.files.RawEntry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Reads a running controller's own files for the metadata log tool. One thread and a short queue: however many ask, the
 * controller's own work, and the brokers that follow the log, do not wait for it.
 */
final class HistoryReads implements AutoCloseable {
    private static final int MAX_WAITING = 8;
    private static final int MAX_ANSWER_BYTES = 4 * 1024 * 1024;

    private final Path directory;
    private final LongSupplier committed;
    private final ThreadPoolExecutor thread;

    HistoryReads(String name, Path directory, LongSupplier committed) {
        this.directory = directory;
        this.committed = committed;
        this.thread = new ThreadPoolExecutor(
                1,
                1,
                0,
                TimeUnit.MILLISECONDS,
                new ArrayBlockingQueue<>(MAX_WAITING),
                Threads.daemon(name + "-history"));
    }

    /** The encoded answer, later. */
    void read(QuorumQuery.ReadHistory query, CompletableFuture<byte[]> answer) {
        run(answer, () -> QueryCodec.encode(entries(query)));
    }

    /** The encoded answer, later. */
    void read(QuorumQuery.ReadKeyframe query, CompletableFuture<byte[]> answer) {
        run(answer, () -> {
            ClusterImage image = keyframe(query.index());
            return image == null
                    ? QueryCodec.encodeFailure("there is no sound image for index " + query.index())
                    : QueryCodec.encode(image);
        });
    }

    /** Reads files. */
    private interface Work {
        byte[] run() throws IOException;
    }

    private void run(CompletableFuture<byte[]> answer, Work work) {
        try {
            thread.execute(() -> {
                try {
                    answer.complete(work.run());
                } catch (IOException | RuntimeException e) {
                    answer.complete(QueryCodec.encodeFailure(e.toString()));
                }
            });
        } catch (RejectedExecutionException e) {
            answer.complete(QueryCodec.encodeFailure("this controller is closing, or too many read its history"));
        }
    }

    private HistoryAnswer entries(QuorumQuery.ReadHistory query) throws IOException {
        List<Finding> findings = Collections.synchronizedList(new ArrayList<>());
        List<StoredEntry> entries = new ArrayList<>();
        int maxBytes = Math.max(1, Math.min(query.maxBytes(), MAX_ANSWER_BYTES));
        try (DirectorySource source = new DirectorySource(directory, findings::add)) {
            int[] bytes = {0};
            source.read(query.fromIndex(), Long.MAX_VALUE, entry -> {
                // An entry of Ratis' own takes some room too.
                bytes[0] += entry.data().length + 16;
                if (!entries.isEmpty() && bytes[0] > maxBytes) {
                    return false;
                }
                entries.add(stored(entry));
                return true;
            });
            return new HistoryAnswer(
                    entries,
                    committed.getAsLong(),
                    source.keyframes().stream().map(HistoryReads::ref).toList(),
                    findings.stream()
                            .filter(Finding::isDamage)
                            .map(Finding::toString)
                            .toList());
        }
    }

    private static StoredEntry stored(RawEntry entry) {
        return new StoredEntry(entry.index(), entry.term(), entry.kind().ordinal(), entry.data(), entry.commitIndex());
    }

    private static KeyframeRef ref(MetadataSource.Keyframe keyframe) {
        return new KeyframeRef(keyframe.term(), keyframe.index());
    }

    private ClusterImage keyframe(long index) throws IOException {
        try (DirectorySource source = new DirectorySource(directory, finding -> {})) {
            for (MetadataSource.Keyframe keyframe : source.keyframes()) {
                if (keyframe.index() == index) {
                    return keyframe.load();
                }
            }
        }
        return null;
    }

    @Override
    public void close() {
        thread.shutdownNow().forEach(Runnable::run);
    }
}
