package io.tidemark.broker.runtime;

import io.tidemark.broker.log.DataDirectory;
import io.tidemark.broker.log.LogName;
import io.tidemark.broker.log.LogSettings;
import io.tidemark.broker.log.LostWritesException;
import io.tidemark.broker.log.OpenedLog;
import io.tidemark.broker.log.SegmentLog;
import io.tidemark.model.PartitionId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Creates and removes partition logs, one at a time per name: a topic's directory is free before its successor's comes.
 * Who waits for a name holds no thread meanwhile, or those who remove the predecessors might find none.
 */
public final class LogStore {
    private record Waiting(PartitionId id, Runnable granted) {}

    private final DataDirectory directory;
    private final Path root;
    /** Names whose directory exists or may be created, with the partition they belong to. */
    private final Map<LogName, PartitionId> taken = new HashMap<>();

    private final Map<LogName, ArrayDeque<Waiting>> waiting = new HashMap<>();

    private final BiConsumer<LogName, IOException> onFailure;

    public LogStore(DataDirectory directory, Path root) {
        this(directory, root, (name, problem) -> {});
    }

    /** @param onFailure told, on any thread, of a log that the disk failed (R7.23); it must not block */
    public LogStore(DataDirectory directory, Path root, BiConsumer<LogName, IOException> onFailure) {
        this.directory = directory;
        this.root = root;
        this.onFailure = onFailure;
        directory.logs().forEach(log -> taken.put(log.name(), log.id()));
    }

    /** That log cannot be read or written any more. */
    void failed(LogName name, IOException problem) {
        if (problem instanceof LostWritesException) {
            try {
                directory.distrustThisBoot();
            } catch (IOException e) {
                problem.addSuppressed(e);
            }
        }
        onFailure.accept(name, problem);
    }

    /**
     * Runs {@code granted} once {@link #create} may be called: at once, or on the thread that removes the last
     * predecessor of that name. It must not block.
     */
    public void whenFree(LogName name, PartitionId id, Runnable granted) {
        synchronized (taken) {
            if (taken.putIfAbsent(name, id) != null) {
                waiting.computeIfAbsent(name, ignored -> new ArrayDeque<>()).add(new Waiting(id, granted));
                return;
            }
        }
        granted.run();
    }

    /** Blocking: creates an empty log, after {@link #whenFree}. */
    public OpenedLog create(LogName name, PartitionId id, LogSettings settings) throws IOException {
        return directory.createLog(name, id, settings);
    }

    /**
     * Blocking: gives the log's files up and deletes its directory; {@code log} is null if its creation failed, and then
     * what that has left goes.
     */
    public void remove(LogName name, PartitionId id, SegmentLog log) throws IOException {
        if (log == null) {
            directory.discardUnfinished(name);
            free(name);
            return;
        }
        log.abandon();
        Path renamed = directory.removeLog(new DataDirectory.FoundLog(name, id, root.resolve(name.toString())));
        free(name);
        directory.deleteRemoved(renamed);
    }

    private void free(LogName name) {
        Waiting next;
        synchronized (taken) {
            ArrayDeque<Waiting> queue = waiting.get(name);
            next = queue == null ? null : queue.poll();
            if (next == null) {
                taken.remove(name);
                waiting.remove(name);
            } else {
                taken.put(name, next.id());
            }
        }
        if (next != null) {
            next.granted().run();
        }
    }
}
