package io.tidemark.broker.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A disk in memory that can lose power: files then keep what was synced and any part of what was not, with
 * holes; names keep or lose what was not synced in their directory.
 */
final class SimDisk implements Disk {
    /** Smaller than any real block, to hit more; larger than the fields of a batch that no checksum covers. */
    private static final int BLOCK = 64;

    private final Random random;
    private final Map<Path, Node> live = new TreeMap<>();
    private final Map<Path, Node> durable = new TreeMap<>();
    private final Set<Path> directories = new TreeSet<>();
    /** Those whose own name was not synced. */
    private final Set<Path> newDirectories = new TreeSet<>();

    SimDisk(Random random) {
        this.random = random;
    }

    private static final class Node {
        byte[] content = new byte[0];
        byte[] synced = new byte[0];
    }

    /** Everything that was not synced is at stake. Open files must not be used any more. */
    void losePower() {
        Set<Path> names = new TreeSet<>(live.keySet());
        names.addAll(durable.keySet());
        for (Path name : names) {
            Node before = durable.get(name);
            Node after = live.get(name);
            if (before != after && random.nextBoolean()) {
                set(live, name, before);
            }
            set(durable, name, live.get(name));
        }
        for (Path directory : List.copyOf(newDirectories)) {
            if (random.nextBoolean()) {
                delete(directory);
                durable.keySet().removeIf(name -> name.startsWith(directory));
            }
        }
        newDirectories.clear();
        live.values().forEach(this::losePower);
    }

    private void losePower(Node node) {
        byte[] content = node.content;
        boolean grownOnly = content.length >= node.synced.length
                && Arrays.equals(node.synced, Arrays.copyOf(content, node.synced.length));
        if (!grownOnly) {
            node.content = random.nextBoolean() ? content : node.synced;
        } else if (content.length > node.synced.length) {
            int kept = node.synced.length + random.nextInt(content.length - node.synced.length + 1);
            node.content = Arrays.copyOf(content, kept);
            if (kept > node.synced.length && random.nextInt(3) == 0) {
                // Blocks that were allocated but never written, though later ones may have been.
                int from = node.synced.length + random.nextInt(kept - node.synced.length);
                int hole = Math.max(node.synced.length, from / BLOCK * BLOCK);
                Arrays.fill(node.content, hole, Math.min(kept, (1 + random.nextInt(4)) * BLOCK + hole), (byte) 0);
            }
        }
        node.synced = node.content.clone();
    }

    private static void set(Map<Path, Node> names, Path name, Node node) {
        if (node == null) {
            names.remove(name);
        } else {
            names.put(name, node);
        }
    }

    private Node node(Path path) throws NoSuchFileException {
        Node node = live.get(path);
        if (node == null) {
            throw new NoSuchFileException(path.toString());
        }
        return node;
    }

    @Override
    public File open(Path path) throws IOException {
        return new SimFile(node(path));
    }

    @Override
    public File create(Path path) {
        Node node = new Node();
        live.put(path, node);
        return new SimFile(node);
    }

    @Override
    public boolean exists(Path path) {
        return live.containsKey(path) || directories.contains(path);
    }

    @Override
    public long size(Path path) throws IOException {
        return node(path).content.length;
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        if (!directories.contains(directory)) {
            throw new NoSuchFileException(directory.toString());
        }
        List<String> names = new ArrayList<>();
        for (Path path : live.keySet()) {
            if (directory.equals(path.getParent())) {
                names.add(path.getFileName().toString());
            }
        }
        for (Path path : directories) {
            if (directory.equals(path.getParent())) {
                names.add(path.getFileName().toString());
            }
        }
        return names;
    }

    @Override
    public void createDirectory(Path directory) {
        for (Path path = directory; path != null; path = path.getParent()) {
            directories.add(path);
        }
    }

    @Override
    public void addDirectory(Path directory) throws IOException {
        if (!directories.contains(directory.getParent())) {
            throw new NoSuchFileException(directory.getParent().toString());
        }
        directories.add(directory);
        newDirectories.add(directory);
    }

    @Override
    public byte[] read(Path path) throws IOException {
        return node(path).content.clone();
    }

    @Override
    public void replace(Path path, byte[] content) {
        put(path, content);
        syncDirectory(path.getParent());
    }

    @Override
    public void put(Path path, byte[] content) {
        Node node = new Node();
        node.content = content.clone();
        node.synced = content.clone();
        live.put(path, node);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        if (exists(to)) {
            throw new FileAlreadyExistsException(to.toString());
        }
        for (Map<Path, Node> names : List.of(live, durable)) {
            for (Path path : List.copyOf(names.keySet())) {
                if (path.startsWith(from)) {
                    names.put(to.resolve(from.relativize(path)), names.remove(path));
                }
            }
        }
        if (directories.remove(from)) {
            directories.add(to);
            newDirectories.remove(from);
        }
        syncDirectory(to.getParent());
    }

    @Override
    public void delete(Path path) {
        live.keySet().removeIf(name -> name.startsWith(path));
        directories.removeIf(name -> name.startsWith(path));
    }

    @Override
    public void syncDirectory(Path directory) {
        newDirectories.removeIf(created -> directory.equals(created.getParent()));
        durable.keySet().removeIf(path -> directory.equals(path.getParent()) && !live.containsKey(path));
        live.forEach((path, node) -> {
            if (directory.equals(path.getParent())) {
                durable.put(path, node);
            }
        });
    }

    private static final class SimFile implements File {
        private final Node node;

        SimFile(Node node) {
            this.node = node;
        }

        @Override
        public int read(ByteBuffer target, long position) {
            int from = (int) Math.min(position, node.content.length);
            int count = Math.min(target.remaining(), node.content.length - from);
            target.put(node.content, from, count);
            return count;
        }

        @Override
        public void load(long position, long length) {}

        @Override
        public void write(ByteBuffer[] sources, long position) {
            int bytes = Arrays.stream(sources).mapToInt(ByteBuffer::remaining).sum();
            int end = Math.toIntExact(position) + bytes;
            node.content = Arrays.copyOf(node.content, Math.max(end, node.content.length));
            int at = (int) position;
            for (ByteBuffer source : sources) {
                int count = source.remaining();
                source.get(node.content, at, count);
                at += count;
            }
        }

        @Override
        public void sync() {
            node.synced = node.content.clone();
        }

        @Override
        public void truncate(long size) {
            node.content = Arrays.copyOf(node.content, (int) Math.min(size, node.content.length));
        }

        @Override
        public long size() {
            return node.content.length;
        }

        @Override
        public Optional<FileChannel> channel() {
            return Optional.empty();
        }

        @Override
        public void close() {}
    }
}
