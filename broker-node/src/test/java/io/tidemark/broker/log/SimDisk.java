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
 * holes; names keep or lose what was not synced in their directory. A dead process alone loses nothing here.
 */
public final class SimDisk implements Disk {
    /** Smaller than any real block, to hit more; larger than the fields of a batch that no checksum covers. */
    private static final int BLOCK = 64;

    /** What an operation is about to meet: an error to report, or the end of the process. */
    public interface Faults {
        /**
         * Before the operation does anything.
         *
         * @param bytes that it would add, 0 if it adds none
         */
        void before(Operation operation, Path path, int bytes) throws IOException;
    }

    /** What can be told apart by {@link Faults}; reads are not. */
    public enum Operation {
        CREATE,
        WRITE,
        SYNC,
        TRUNCATE,
        REPLACE,
        RENAME,
        DELETE
    }

    private final Random random;
    private Faults faults = (operation, path, bytes) -> {};
    private final Map<Path, Node> live = new TreeMap<>();
    private final Map<Path, Node> durable = new TreeMap<>();
    private final Set<Path> directories = new TreeSet<>();
    /** Those whose own name was not synced. */
    private final Set<Path> newDirectories = new TreeSet<>();
    /** Those that were deleted, and whose deletion was not synced: they may come back with what was in them. */
    private final Set<Path> goneDirectories = new TreeSet<>();

    /** Files whose sync failed. */
    private final List<Node> unwritten = new ArrayList<>();

    public SimDisk(Random random) {
        this.random = random;
    }

    /** The bytes of a file; those below {@code untouched} are as they were at the last sync. */
    private static final class Node {
        byte[] content = new byte[256];
        int size;
        byte[] synced = new byte[0];
        int syncedSize;
        int untouched;

        void write(ByteBuffer source, int at) {
            int count = source.remaining();
            if (at + count > content.length) {
                content = Arrays.copyOf(content, Math.max(at + count, 2 * content.length));
            }
            source.get(content, at, count);
            size = Math.max(size, at + count);
            untouched = Math.min(untouched, at);
        }

        void truncate(int length) {
            // What lies behind the end reads as zero if the file grows over it again.
            Arrays.fill(content, Math.min(length, size), size, (byte) 0);
            size = Math.min(length, size);
            untouched = Math.min(untouched, size);
        }

        void sync() {
            if (synced.length < size) {
                synced = Arrays.copyOf(synced, Math.max(size, 2 * synced.length));
            }
            System.arraycopy(content, untouched, synced, untouched, size - untouched);
            syncedSize = size;
            untouched = size;
        }

        void backToSynced() {
            content = Arrays.copyOf(synced, Math.max(256, syncedSize));
            size = syncedSize;
            untouched = size;
        }
    }

    public void faults(Faults met) {
        faults = met;
    }

    /** The bytes of a file as a process reads them, not a copy; null if there is no such file. */
    public ByteBuffer view(Path path) {
        Node node = live.get(path);
        return node == null
                ? null
                : ByteBuffer.wrap(node.content, 0, node.size).slice().asReadOnlyBuffer();
    }

    /** Everything that was not synced is at stake. Open files must not be used any more. */
    public void losePower() {
        for (Path directory : List.copyOf(goneDirectories)) {
            if (random.nextBoolean()) {
                directories.add(directory);
            } else {
                durable.keySet().removeIf(name -> name.startsWith(directory));
            }
        }
        goneDirectories.clear();
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
                remove(directory);
                durable.keySet().removeIf(name -> name.startsWith(directory));
            }
        }
        newDirectories.clear();
        live.values().forEach(this::losePower);
    }

    /** What failed syncs have not written: the next process may find it or not. Returns whether there was any. */
    public boolean loseUnwritten() {
        boolean any = !unwritten.isEmpty();
        unwritten.forEach(this::losePower);
        unwritten.clear();
        return any;
    }

    private void losePower(Node node) {
        boolean grownOnly = node.untouched == node.syncedSize;
        if (!grownOnly) {
            if (random.nextBoolean()) {
                node.backToSynced();
            }
        } else if (node.size > node.syncedSize) {
            // A file system that has not written the new size either gives back exactly what was synced.
            int kept = random.nextInt(3) == 0
                    ? node.syncedSize
                    : node.syncedSize + random.nextInt(node.size - node.syncedSize + 1);
            node.truncate(kept);
            if (kept > node.syncedSize && random.nextInt(3) == 0) {
                // Blocks that were allocated but never written, though later ones may have been.
                int from = node.syncedSize + random.nextInt(kept - node.syncedSize);
                int hole = Math.max(node.syncedSize, from / BLOCK * BLOCK);
                Arrays.fill(node.content, hole, Math.min(kept, (1 + random.nextInt(4)) * BLOCK + hole), (byte) 0);
            }
        }
        node.sync();
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
        return new SimFile(path, node(path));
    }

    @Override
    public File create(Path path) throws IOException {
        faults.before(Operation.CREATE, path, 0);
        Node node = new Node();
        live.put(path, node);
        return new SimFile(path, node);
    }

    @Override
    public boolean exists(Path path) {
        return live.containsKey(path) || directories.contains(path);
    }

    @Override
    public long size(Path path) throws IOException {
        return node(path).size;
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
        if (goneDirectories.remove(directory)) {
            // Two of one name are never both there.
            durable.keySet().removeIf(name -> name.startsWith(directory));
        }
        directories.add(directory);
        newDirectories.add(directory);
    }

    @Override
    public byte[] read(Path path) throws IOException {
        Node node = node(path);
        return Arrays.copyOf(node.content, node.size);
    }

    @Override
    public void replace(Path path, byte[] content) throws IOException {
        put(path, content);
        syncDirectory(path.getParent());
    }

    @Override
    public void put(Path path, byte[] content) throws IOException {
        faults.before(Operation.REPLACE, path, content.length);
        Node node = new Node();
        node.write(ByteBuffer.wrap(content), 0);
        node.sync();
        live.put(path, node);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        faults.before(Operation.RENAME, from, 0);
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
    public void delete(Path path) throws IOException {
        faults.before(Operation.DELETE, path, 0);
        remove(path);
    }

    private void remove(Path path) {
        live.keySet().removeIf(name -> name.startsWith(path));
        if (directories.contains(path)) {
            if (newDirectories.remove(path)) {
                durable.keySet().removeIf(name -> name.startsWith(path));
            } else {
                goneDirectories.add(path);
            }
        }
        directories.removeIf(name -> name.startsWith(path));
    }

    @Override
    public void syncDirectory(Path directory) {
        newDirectories.removeIf(created -> directory.equals(created.getParent()));
        for (Path gone : List.copyOf(goneDirectories)) {
            if (directory.equals(gone.getParent())) {
                goneDirectories.remove(gone);
                durable.keySet().removeIf(name -> name.startsWith(gone));
            }
        }
        durable.keySet().removeIf(path -> directory.equals(path.getParent()) && !live.containsKey(path));
        live.forEach((path, node) -> {
            if (directory.equals(path.getParent())) {
                durable.put(path, node);
            }
        });
    }

    private final class SimFile implements File {
        private final Path path;
        private final Node node;

        SimFile(Path path, Node node) {
            this.path = path;
            this.node = node;
        }

        @Override
        public int read(ByteBuffer target, long position) {
            int from = (int) Math.min(position, node.size);
            int count = Math.min(target.remaining(), node.size - from);
            target.put(node.content, from, count);
            return count;
        }

        @Override
        public void load(long position, long length) {}

        @Override
        public void write(ByteBuffer[] sources, long position) throws IOException {
            int at = Math.toIntExact(position);
            for (ByteBuffer source : sources) {
                int count = source.remaining();
                faults.before(Operation.WRITE, path, count);
                node.write(source, at);
                at += count;
            }
        }

        @Override
        public void sync() throws IOException {
            try {
                faults.before(Operation.SYNC, path, 0);
            } catch (IOException e) {
                unwritten.add(node);
                throw new LostWritesException(path, e);
            }
            node.sync();
        }

        @Override
        public void truncate(long size) throws IOException {
            faults.before(Operation.TRUNCATE, path, 0);
            node.truncate((int) size);
        }

        @Override
        public long size() {
            return node.size;
        }

        @Override
        public Optional<FileChannel> channel() {
            return Optional.empty();
        }

        @Override
        public void close() {}
    }
}
