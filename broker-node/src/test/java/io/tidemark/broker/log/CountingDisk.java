package io.tidemark.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A disk that counts what is read from and written to open files, and fails on demand. */
final class CountingDisk implements Disk {
    private final Disk real;
    long bytesRead;
    int writes;
    boolean failWrites;
    boolean failSyncs;

    CountingDisk(Disk real) {
        this.real = real;
    }

    @Override
    public File open(Path path) throws IOException {
        return counting(real.open(path));
    }

    @Override
    public File create(Path path) throws IOException {
        return counting(real.create(path));
    }

    private File counting(File file) {
        return new File() {
            @Override
            public int read(ByteBuffer target, long position) throws IOException {
                int count = file.read(target, position);
                bytesRead += count;
                return count;
            }

            @Override
            public void load(long position, long length) throws IOException {
                bytesRead += length;
                file.load(position, length);
            }

            @Override
            public void write(ByteBuffer[] sources, long position) throws IOException {
                if (failWrites) {
                    throw new IOException("injected");
                }
                writes++;
                file.write(sources, position);
            }

            @Override
            public void sync() throws IOException {
                if (failSyncs) {
                    throw new IOException("injected");
                }
                file.sync();
            }

            @Override
            public void truncate(long size) throws IOException {
                file.truncate(size);
            }

            @Override
            public long size() throws IOException {
                return file.size();
            }

            @Override
            public Optional<FileChannel> channel() {
                return file.channel();
            }

            @Override
            public void close() throws IOException {
                file.close();
            }
        };
    }

    @Override
    public boolean exists(Path path) {
        return real.exists(path);
    }

    @Override
    public long size(Path path) throws IOException {
        return real.size(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        return real.list(directory);
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        real.createDirectory(directory);
    }

    @Override
    public void addDirectory(Path directory) throws IOException {
        real.addDirectory(directory);
    }

    @Override
    public byte[] read(Path path) throws IOException {
        return real.read(path);
    }

    @Override
    public void replace(Path path, byte[] content) throws IOException {
        real.replace(path, content);
    }

    @Override
    public void put(Path path, byte[] content) throws IOException {
        real.put(path, content);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        real.rename(from, to);
    }

    @Override
    public void delete(Path path) throws IOException {
        real.delete(path);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        real.syncDirectory(directory);
    }
}
