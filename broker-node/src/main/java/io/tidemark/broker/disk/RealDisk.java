package io.tidemark.broker.disk;

import io.tidemark.broker.log.Disk;
import io.tidemark.broker.log.LostWritesException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Files of the operating system. Its threads must not be interrupted: the JDK would close the channel under everybody.
 */
public final class RealDisk implements Disk {
    @Override
    public File open(Path path) throws IOException {
        return new ChannelFile(path, FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    @Override
    public File create(Path path) throws IOException {
        return new ChannelFile(
                path,
                FileChannel.open(
                        path,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING));
    }

    @Override
    public boolean exists(Path path) {
        return Files.exists(path);
    }

    @Override
    public long size(Path path) throws IOException {
        return Files.size(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(entry -> entry.getFileName().toString()).toList();
        }
    }

    @Override
    public void createDirectory(Path directory) throws IOException {
        Path existing = directory.toAbsolutePath();
        while (!Files.exists(existing)) {
            existing = existing.getParent();
        }
        Files.createDirectories(directory);
        for (Path made = directory.toAbsolutePath(); !made.equals(existing); made = made.getParent()) {
            syncDirectory(made.getParent());
        }
    }

    @Override
    public void addDirectory(Path directory) throws IOException {
        Files.createDirectory(directory);
    }

    @Override
    public byte[] read(Path path) throws IOException {
        return Files.readAllBytes(path);
    }

    @Override
    public void replace(Path path, byte[] content) throws IOException {
        put(path, content);
        syncDirectory(path.toAbsolutePath().getParent());
    }

    @Override
    public void put(Path path, byte[] content) throws IOException {
        Path temporary = path.resolveSibling(path.getFileName() + ".tmp");
        try (FileChannel channel = FileChannel.open(
                temporary, StandardOpenOption.WRITE, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        syncDirectory(to.toAbsolutePath().getParent());
    }

    @Override
    public void delete(Path path) throws IOException {
        try {
            Files.walkFileTree(path, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.deleteIfExists(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path directory, IOException failure) throws IOException {
                    if (failure != null) {
                        throw failure;
                    }
                    Files.deleteIfExists(directory);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (NoSuchFileException e) {
            // Gone already, which is what was asked for.
            return;
        }
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Sending a file there makes the kernel bring it into the page cache without a copy. */
    private static final class Sink {
        static final FileChannel NULL = open();

        private static FileChannel open() {
            try {
                return FileChannel.open(Path.of("/dev/null"), StandardOpenOption.WRITE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** A file whose writes all come from one thread; reads and syncs may come from others. */
    private static final class ChannelFile implements File {
        private final Path path;
        private final FileChannel channel;
        /** Where the channel stands after the last write, -1 before the first: most writes go on from there. */
        private long next = -1;

        ChannelFile(Path path, FileChannel channel) {
            this.path = path;
            this.channel = channel;
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            int total = 0;
            while (target.hasRemaining()) {
                int count = channel.read(target, position + total);
                if (count < 0) {
                    break;
                }
                total += count;
            }
            return total;
        }

        @Override
        public void load(long position, long length) throws IOException {
            long end = Math.min(position + length, channel.size());
            for (long at = position; at < end; ) {
                long moved = channel.transferTo(at, end - at, Sink.NULL);
                if (moved <= 0) {
                    // Shortened meanwhile: there is nothing more to load.
                    return;
                }
                at += moved;
            }
        }

        @Override
        public void write(ByteBuffer[] sources, long position) throws IOException {
            if (position != next) {
                channel.position(position);
            }
            next = -1;
            long size = 0;
            int first = 0;
            while (first < sources.length) {
                if (sources[first].hasRemaining()) {
                    size += channel.write(sources, first, sources.length - first);
                } else {
                    first++;
                }
            }
            next = position + size;
        }

        @Override
        public void sync() throws IOException {
            try {
                channel.force(false);
            } catch (ClosedChannelException e) {
                throw e;
            } catch (IOException e) {
                throw new LostWritesException(path, e);
            }
        }

        @Override
        public void truncate(long size) throws IOException {
            channel.truncate(size);
            next = -1;
        }

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public Optional<FileChannel> channel() {
            return Optional.of(channel);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
