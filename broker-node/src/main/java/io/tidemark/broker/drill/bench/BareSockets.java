package io.tidemark.broker.drill.bench;

import io.tidemark.broker.drill.DrillException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.LongAdder;

/**
 * The least a cluster with three replicas has to do with a stream of bytes: one receiver writes it to a file and
 * forwards it from there (sendfile) to two others, which write it too. Nothing is understood, answered or checked.
 */
final class BareSockets {
    private static final int BUFFER = 256 << 10;
    private static final long WRAP_BYTES = 12_000_000;

    private final Path directory;
    private final boolean growing;
    private final LongAdder cpuNanos = new LongAdder();
    private final LongAdder written = new LongAdder();

    /** @param growing whether the files grow; otherwise they are overwritten every 12 MB */
    BareSockets(Path directory, boolean growing) {
        this.directory = directory;
        this.growing = growing;
    }

    /** CPU seconds of receiving, forwarding and writing per 1e9 bytes; the sender is apart. */
    double run(long bytes) {
        cpuNanos.reset();
        written.reset();
        try (ServerSocketChannel first = listen();
                ServerSocketChannel second = listen();
                ServerSocketChannel third = listen()) {
            List<CompletableFuture<Void>> ends = new ArrayList<>();
            ends.add(onThread(() -> receive(second, "second", List.of())));
            ends.add(onThread(() -> receive(third, "third", List.of())));
            ends.add(onThread(
                    () -> receive(first, "first", List.of(second.getLocalAddress(), third.getLocalAddress()))));
            send(first, bytes);
            ends.forEach(CompletableFuture::join);
        } catch (IOException | CompletionException e) {
            throw new DrillException("bare sockets: " + e.getMessage(), e);
        }
        return cpuNanos.sum() / 1e9 / (bytes / 1e9);
    }

    /** By all three receivers in the last run. */
    long bytesWritten() {
        return written.sum();
    }

    private static ServerSocketChannel listen() throws IOException {
        return ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static void send(ServerSocketChannel to, long bytes) throws IOException {
        try (SocketChannel socket = SocketChannel.open(to.getLocalAddress())) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
            for (long left = bytes; left > 0; ) {
                buffer.clear().limit((int) Math.min(BUFFER, left));
                while (buffer.hasRemaining()) {
                    left -= socket.write(buffer);
                }
            }
        }
    }

    private void receive(ServerSocketChannel server, String name, List<? extends java.net.SocketAddress> forwardTo)
            throws IOException {
        Path file = directory.resolve("bare-" + name);
        List<SocketChannel> followers = new ArrayList<>();
        try (SocketChannel in = server.accept();
                FileChannel out = FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            for (java.net.SocketAddress address : forwardTo) {
                followers.add(SocketChannel.open(address));
            }
            pump(in, out, followers);
        } finally {
            for (SocketChannel follower : followers) {
                follower.close();
            }
            Files.deleteIfExists(file);
        }
    }

    private void pump(SocketChannel in, FileChannel out, List<SocketChannel> followers) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
        long position = 0;
        while (in.read(buffer.clear()) >= 0) {
            buffer.flip();
            int length = buffer.remaining();
            while (buffer.hasRemaining()) {
                out.write(buffer, position + length - buffer.remaining());
            }
            for (SocketChannel follower : followers) {
                for (long sent = 0; sent < length; ) {
                    sent += out.transferTo(position + sent, length - sent, follower);
                }
            }
            written.add(length);
            position += length;
            if (!growing && position >= WRAP_BYTES) {
                position = 0;
            }
        }
    }

    /** A step of one role. */
    private interface Role {
        void play() throws IOException;
    }

    private CompletableFuture<Void> onThread(Role role) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                role.play();
                cpuNanos.add(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime());
                end.complete(null);
            } catch (IOException | RuntimeException e) {
                end.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return end;
    }
}
