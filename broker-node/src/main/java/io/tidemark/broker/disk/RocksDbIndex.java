package io.tidemark.broker.disk;

import io.tidemark.broker.log.Disk;
import io.tidemark.broker.log.IndexEntry;
import io.tidemark.broker.log.OffsetIndex;
import io.tidemark.broker.log.SegmentSummary;
import io.tidemark.model.PartitionId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * The derived index of one data directory in RocksDB: no write-ahead log, since all of it can be read from segments
 * again. A database that cannot be opened, or has another format, is deleted and begun anew. Keys and values: FORMAT.md.
 */
public final class RocksDbIndex implements OffsetIndex {
    private static final byte[] FORMAT_KEY = "format".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] FORMAT = {1};
    private static final long MEMTABLE_BYTES = 8L << 20;

    static {
        RocksDB.loadLibrary();
    }

    private final Options options;
    private final WriteOptions writeOptions;
    private final FlushOptions flushOptions;
    private final RocksDB db;
    private boolean closed;

    private RocksDbIndex(Options options, RocksDB db) {
        this.options = options;
        this.db = db;
        this.writeOptions = new WriteOptions().setDisableWAL(true);
        this.flushOptions = new FlushOptions().setWaitForFlush(true);
    }

    /** Opens or creates the index in {@code directory}, which may be missing. */
    public static RocksDbIndex open(Disk disk, Path directory) throws IOException {
        disk.createDirectory(directory);
        try {
            return tryOpen(directory);
        } catch (RocksDBException e) {
            // Derived data: what is unreadable is rebuilt from the segments.
            disk.delete(directory);
            disk.createDirectory(directory);
        }
        try {
            return tryOpen(directory);
        } catch (RocksDBException e) {
            throw new IOException("cannot create the index in " + directory, e);
        }
    }

    private static RocksDbIndex tryOpen(Path directory) throws RocksDBException {
        Options options = new Options()
                .setCreateIfMissing(true)
                .setParanoidChecks(true)
                .setWriteBufferSize(MEMTABLE_BYTES)
                .setMaxWriteBufferNumber(2)
                .setKeepLogFileNum(2)
                .setMaxOpenFiles(64)
                // An end without flush is like a crash, in tests too.
                .setAvoidFlushDuringShutdown(true)
                .setCompressionType(CompressionType.NO_COMPRESSION);
        RocksDB db;
        try {
            db = RocksDB.open(options, directory.toString());
        } catch (RocksDBException e) {
            options.close();
            throw e;
        }
        RocksDbIndex index = new RocksDbIndex(options, db);
        try {
            byte[] format = db.get(FORMAT_KEY);
            if (format == null) {
                if (index.holdsAnything()) {
                    throw new RocksDBException("an index without a format");
                }
                db.put(index.writeOptions, FORMAT_KEY, FORMAT);
                db.flush(index.flushOptions);
            } else if (!Arrays.equals(format, FORMAT)) {
                throw new RocksDBException("an index of an unknown format");
            }
            return index;
        } catch (RocksDBException e) {
            index.close();
            throw e;
        }
    }

    private boolean holdsAnything() {
        try (RocksIterator iterator = db.newIterator()) {
            iterator.seekToFirst();
            return iterator.isValid();
        }
    }

    @Override
    public void put(PartitionId log, long segmentBase, List<IndexEntry> entries) throws IOException {
        if (entries.isEmpty()) {
            return;
        }
        write(batch -> {
            for (IndexEntry entry : entries) {
                byte[] value = ByteBuffer.allocate(12)
                        .putInt(entry.position())
                        .putLong(entry.maxTimestampBefore())
                        .array();
                batch.put(IndexKeys.of(log, IndexKeys.ENTRY, segmentBase, entry.offset()), value);
            }
        });
    }

    @Override
    public Optional<IndexEntry> floor(PartitionId log, long segmentBase, long offset) throws IOException {
        byte[] key = IndexKeys.of(log, IndexKeys.ENTRY, segmentBase, offset);
        byte[] lowest = IndexKeys.of(log, IndexKeys.ENTRY, segmentBase, 0);
        try (RocksIterator iterator = db.newIterator()) {
            iterator.seekForPrev(key);
            check(iterator);
            return iterator.isValid() && Arrays.compareUnsigned(iterator.key(), lowest) >= 0
                    ? Optional.of(entry(iterator))
                    : Optional.empty();
        }
    }

    @Override
    public List<IndexEntry> entries(PartitionId log, long segmentBase) throws IOException {
        byte[] behind = IndexKeys.of(log, IndexKeys.ENTRY, segmentBase, Long.MAX_VALUE);
        List<IndexEntry> entries = new ArrayList<>();
        try (RocksIterator iterator = db.newIterator()) {
            iterator.seek(IndexKeys.of(log, IndexKeys.ENTRY, segmentBase, 0));
            while (iterator.isValid() && Arrays.compareUnsigned(iterator.key(), behind) < 0) {
                entries.add(entry(iterator));
                iterator.next();
            }
            check(iterator);
        }
        return entries;
    }

    private static IndexEntry entry(RocksIterator iterator) {
        ByteBuffer value = ByteBuffer.wrap(iterator.value());
        return new IndexEntry(IndexKeys.lastOffset(iterator.key()), value.getInt(), value.getLong());
    }

    @Override
    public void putSummary(PartitionId log, long segmentBase, SegmentSummary summary) throws IOException {
        byte[] value = ByteBuffer.allocate(24)
                .putInt(summary.size())
                .putLong(summary.endOffset())
                .putLong(summary.maxTimestamp())
                .putInt(summary.lastEpoch())
                .array();
        write(batch -> batch.put(IndexKeys.of(log, IndexKeys.SUMMARY, segmentBase), value));
    }

    @Override
    public Optional<SegmentSummary> summary(PartitionId log, long segmentBase) throws IOException {
        try {
            byte[] value = db.get(IndexKeys.of(log, IndexKeys.SUMMARY, segmentBase));
            if (value == null) {
                return Optional.empty();
            }
            ByteBuffer in = ByteBuffer.wrap(value);
            return Optional.of(new SegmentSummary(in.getInt(), in.getLong(), in.getLong(), in.getInt()));
        } catch (RocksDBException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void putSnapshot(PartitionId log, long offset, byte[] states) throws IOException {
        write(batch -> batch.put(IndexKeys.of(log, IndexKeys.SNAPSHOT, offset), states));
    }

    @Override
    public Optional<Snapshot> newestSnapshot(PartitionId log, long offset) throws IOException {
        try (RocksIterator iterator = db.newIterator()) {
            iterator.seekForPrev(IndexKeys.of(log, IndexKeys.SNAPSHOT, offset));
            check(iterator);
            boolean ours = iterator.isValid()
                    && Arrays.compareUnsigned(iterator.key(), IndexKeys.first(log, IndexKeys.SNAPSHOT)) > 0;
            return ours
                    ? Optional.of(new Snapshot(IndexKeys.lastOffset(iterator.key()), iterator.value()))
                    : Optional.empty();
        }
    }

    @Override
    public void deleteSnapshots(PartitionId log, long from, long to) throws IOException {
        if (from < to) {
            // Range tombstones cost every later look-up; mostly there is nothing to delete.
            List<byte[]> keys = new ArrayList<>();
            byte[] behind = IndexKeys.of(log, IndexKeys.SNAPSHOT, to);
            try (RocksIterator iterator = db.newIterator()) {
                iterator.seek(IndexKeys.of(log, IndexKeys.SNAPSHOT, from));
                while (iterator.isValid() && Arrays.compareUnsigned(iterator.key(), behind) < 0) {
                    keys.add(iterator.key());
                    iterator.next();
                }
                check(iterator);
            }
            write(batch -> {
                for (byte[] key : keys) {
                    batch.delete(key);
                }
            });
        }
    }

    @Override
    public void truncate(PartitionId log, long activeBase, long offset) throws IOException {
        write(batch -> {
            batch.deleteRange(
                    IndexKeys.of(log, IndexKeys.ENTRY, activeBase, offset), IndexKeys.behind(log, IndexKeys.ENTRY));
            batch.deleteRange(
                    IndexKeys.of(log, IndexKeys.SUMMARY, activeBase), IndexKeys.behind(log, IndexKeys.SUMMARY));
        });
    }

    @Override
    public void deleteSegment(PartitionId log, long segmentBase) throws IOException {
        write(batch -> {
            batch.deleteRange(
                    IndexKeys.of(log, IndexKeys.ENTRY, segmentBase, 0),
                    IndexKeys.of(log, IndexKeys.ENTRY, segmentBase, Long.MAX_VALUE));
            batch.delete(IndexKeys.of(log, IndexKeys.SUMMARY, segmentBase));
        });
    }

    @Override
    public void deleteLog(PartitionId log) throws IOException {
        byte[] first = IndexKeys.first(log, IndexKeys.ENTRY);
        byte[] behind = IndexKeys.behind(log, IndexKeys.SUMMARY);
        boolean any;
        try (RocksIterator iterator = db.newIterator()) {
            iterator.seek(first);
            check(iterator);
            any = iterator.isValid() && Arrays.compareUnsigned(iterator.key(), behind) < 0;
        }
        if (any) {
            write(batch -> batch.deleteRange(first, behind));
            flush();
        }
    }

    @Override
    public void keepOnly(Set<PartitionId> logs) throws IOException {
        List<PartitionId> others = new ArrayList<>();
        try (RocksIterator iterator = db.newIterator()) {
            iterator.seekToFirst();
            while (iterator.isValid()) {
                if (Arrays.equals(iterator.key(), FORMAT_KEY)) {
                    iterator.next();
                    continue;
                }
                PartitionId log = IndexKeys.log(iterator.key());
                if (!logs.contains(log)) {
                    others.add(log);
                }
                iterator.seek(IndexKeys.behind(log, IndexKeys.SUMMARY));
            }
            check(iterator);
        }
        if (!others.isEmpty()) {
            write(batch -> {
                for (PartitionId log : others) {
                    batch.deleteRange(IndexKeys.first(log, IndexKeys.ENTRY), IndexKeys.behind(log, IndexKeys.SUMMARY));
                }
            });
            flush();
        }
    }

    @Override
    public void flush() throws IOException {
        try {
            db.flush(flushOptions);
        } catch (RocksDBException e) {
            throw new IOException(e);
        }
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            db.close();
            writeOptions.close();
            flushOptions.close();
            options.close();
        }
    }

    private interface Changes {
        void addTo(WriteBatch batch) throws RocksDBException;
    }

    private void write(Changes changes) throws IOException {
        try (WriteBatch batch = new WriteBatch()) {
            changes.addTo(batch);
            if (batch.count() > 0) {
                db.write(writeOptions, batch);
            }
        } catch (RocksDBException e) {
            throw new IOException(e);
        }
    }

    private static void check(RocksIterator iterator) throws IOException {
        try {
            iterator.status();
        } catch (RocksDBException e) {
            throw new IOException(e);
        }
    }
}
