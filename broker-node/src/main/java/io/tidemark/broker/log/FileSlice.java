package io.tidemark.broker.log;

import io.tidemark.model.Check;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A region of a segment file that holds whole batches and keeps the file open until it is released. Starts with one
 * reference, owned by whoever read it. Truncation may shorten the file below a slice of what it cuts off: copies then
 * fail with an IOException.
 */
public final class FileSlice {
    private final Segment segment;
    private final Disk.File file;
    private final long position;
    private final int length;
    private final AtomicInteger references = new AtomicInteger(1);

    private FileSlice(Segment segment, Disk.File file, long position, int length) {
        this.segment = segment;
        this.file = file;
        this.position = position;
        this.length = length;
    }

    static FileSlice of(Segment segment, int position, int length) throws IOException {
        Check.that(segment.retain(), "the segment of a slice is in use");
        return new FileSlice(segment, segment.file(), position, length);
    }

    /** Position of the first byte in the file. */
    public long position() {
        return position;
    }

    /** Bytes, more than 0. */
    public int length() {
        return length;
    }

    /** The channel to send from, valid until release; empty on a simulated disk. */
    public Optional<FileChannel> channel() {
        return file.channel();
    }

    public FileSlice retain() {
        Check.that(references.getAndIncrement() > 0, "a slice is retained before it is released");
        return this;
    }

    /** True if this was the last reference. Throws UncheckedIOException if closing the file fails. */
    public boolean release() {
        int left = references.decrementAndGet();
        Check.that(left >= 0, "a slice is released once per reference");
        if (left > 0) {
            return false;
        }
        try {
            segment.release();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return true;
    }

    /** Puts all bytes into {@code target}, which must have room for {@link #length}. */
    public void copyTo(ByteBuffer target) throws IOException {
        ByteBuffer window = target.duplicate().limit(target.position() + length);
        if (file.read(window, position) != length) {
            throw new IOException("segment " + segment.path() + " ends inside a slice");
        }
        target.position(window.position());
    }

    /** Sends bytes from {@code from} (0 .. length) on; returns how many were taken, which may be none. */
    public long transferTo(long from, WritableByteChannel target) throws IOException {
        Optional<FileChannel> channel = file.channel();
        if (channel.isPresent()) {
            return channel.get().transferTo(position + from, length - from, target);
        }
        ByteBuffer copy = ByteBuffer.allocate((int) (length - from));
        file.read(copy, position + from);
        return target.write(copy.flip());
    }
}
