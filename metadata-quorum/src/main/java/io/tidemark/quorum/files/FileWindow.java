package io.tidemark.quorum.files;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file's bytes by position, a bounded part of them in memory at a time. Not thread-safe. */
final class FileWindow implements Closeable {
    private static final int USUAL = 1 << 18;

    private final FileChannel channel;
    private byte[] bytes = new byte[USUAL];
    private long base;
    private int filled;

    FileWindow(Path path) throws IOException {
        channel = FileChannel.open(path, StandardOpenOption.READ);
    }

    /** Where in {@link #bytes()} the {@code count} bytes from that position are; -1 if the file ends before them. */
    int locate(long position, int count) throws IOException {
        if (position < base || position + count > base + filled) {
            load(position, count);
        }
        return position + count <= base + filled ? (int) (position - base) : -1;
    }

    /** What is in memory may be older than the file. */
    void forget() {
        filled = 0;
    }

    /** Valid until the next call of {@link #locate}. */
    byte[] bytes() {
        return bytes;
    }

    long size() throws IOException {
        return channel.size();
    }

    private void load(long position, int count) throws IOException {
        if (count > bytes.length) {
            bytes = new byte[Math.max(count, 2 * bytes.length)];
        }
        base = position;
        filled = 0;
        ByteBuffer target = ByteBuffer.wrap(bytes);
        while (target.hasRemaining() && channel.read(target, base + target.position()) > 0) {
            filled = target.position();
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
