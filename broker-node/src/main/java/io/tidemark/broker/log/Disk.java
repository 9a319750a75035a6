package io.tidemark.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The only door from logs to files, small enough to be replaced by a simulated disk with crashes and torn writes. What
 * was written survives the death of the process; only what was synced survives the loss of power, and a created, renamed
 * or deleted name only once its directory was synced.
 */
public interface Disk {
    /** Opens for reading and writing; throws NoSuchFileException if there is no such file. */
    File open(Path path) throws IOException;

    /** Opens a new, empty file for reading and writing; what the name held before is gone. */
    File create(Path path) throws IOException;

    boolean exists(Path path);

    /** Bytes of the file; throws NoSuchFileException if there is none. */
    long size(Path path) throws IOException;

    /** Names (not paths) of the entries of a directory, in no particular order. */
    List<String> list(Path directory) throws IOException;

    /** Creates the directory and its missing parents, durably. */
    void createDirectory(Path directory) throws IOException;

    /** Creates a directory in one that exists; the name is durable once that one was synced. */
    void addDirectory(Path directory) throws IOException;

    /** The whole content of a small file; throws NoSuchFileException if there is none. */
    byte[] read(Path path) throws IOException;

    /** R9.22: writes {@code path}.tmp, syncs it, renames it over {@code path} and syncs the directory. */
    void replace(Path path, byte[] content) throws IOException;

    /**
     * As {@link #replace} without the sync of the directory: after a loss of power the file holds the old or the new
     * content, whole, and which is certain only after {@link #syncDirectory}.
     */
    void put(Path path, byte[] content) throws IOException;

    /** Renames within one directory, durably. */
    void rename(Path from, Path to) throws IOException;

    /** Unlinks a file, or a directory with all it holds; not durable by itself. A missing path is no error. */
    void delete(Path path) throws IOException;

    /** Makes the creations and deletions of names in this directory durable. */
    void syncDirectory(Path directory) throws IOException;

    /** An open file. Reads and {@link #sync} may run beside a write by another thread. */
    interface File extends AutoCloseable {
        /** Reads at {@code position} until the target is full or the file ends; returns the bytes read, 0 at the end. */
        int read(ByteBuffer target, long position) throws IOException;

        /** Brings these bytes into memory, as far as the file has them, so that sending them does not wait for the device. */
        void load(long position, long length) throws IOException;

        /** Writes all remaining bytes of all sources, in order, at {@code position} (one gathering write if possible). */
        void write(ByteBuffer[] sources, long position) throws IOException;

        /** Makes the content durable. */
        void sync() throws IOException;

        /** Shortens the file to {@code size} bytes. */
        void truncate(long size) throws IOException;

        long size() throws IOException;

        /** The channel behind this file, for sendfile; empty where there is none (a simulated disk). */
        Optional<FileChannel> channel();

        @Override
        void close() throws IOException;
    }
}
