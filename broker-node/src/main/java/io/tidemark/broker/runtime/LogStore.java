package io.tidemark.broker.runtime;

import io.tidemark.broker.log.DataDirectory;
import io.tidemark.broker.log.LogName;
import io.tidemark.broker.log.LogSettings;
import io.tidemark.broker.log.OpenedLog;
import io.tidemark.broker.log.SegmentLog;
import io.tidemark.model.PartitionId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Creates and removes partition logs, one at a time per name: a topic's directory is free before its successor's comes. */
public final class LogStore {
    private final DataDirectory directory;
    private final Path root;
    /** Names whose directory exists, with the partition it belongs to. */
    private final Map<LogName, PartitionId> taken = new HashMap<>();

    public LogStore(DataDirectory directory, Path root) {
        this.directory = directory;
        this.root = root;
        directory.logs().forEach(log -> taken.put(log.name(), log.id()));
    }

    /** Blocking: creates an empty log; waits until a predecessor of the same name is removed. */
    public OpenedLog create(LogName name, PartitionId id, LogSettings settings) throws IOException {
        synchronized (taken) {
            while (taken.containsKey(name)) {
                try {
                    taken.wait();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IOException("interrupted while " + name + " was still being removed", e);
                }
            }
            taken.put(name, id);
        }
        return directory.createLog(name, id, settings);
    }

    /** Blocking: gives the log's files up and deletes its directory. */
    public void remove(LogName name, PartitionId id, SegmentLog log) throws IOException {
        log.abandon();
        Path renamed = directory.removeLog(new DataDirectory.FoundLog(name, id, root.resolve(name.toString())));
        synchronized (taken) {
            taken.remove(name);
            taken.notifyAll();
        }
        directory.deleteRemoved(renamed);
    }
}
