package io.tidemark.quorum;

import io.tidemark.model.config.HealthConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Ports for servers that a test starts, stops and starts again on the same one. They are below those that the system gives to
 * outgoing connections, so that none is taken while its server is down; each is handed out once a process, and processes that
 * run beside each other begin at different ones.
 */
public final class FreePorts {
    private static final int FIRST = 10_000;

    /** Above are what drills take for their clusters. */
    private static final int COUNT = 9_000;

    private static final AtomicInteger NEXT =
            new AtomicInteger((int) (ProcessHandle.current().pid() * 997 % COUNT));

    private FreePorts() {}

    /** One that nobody listens on, nor on the one for its health beside it. */
    public static int next() {
        for (int attempt = 0; attempt < COUNT; attempt++) {
            int port = FIRST + NEXT.getAndIncrement() % COUNT;
            if (isFree(port) && isFree(port + HealthConfig.DISTANCE)) {
                return port;
            }
        }
        throw new IllegalStateException("no free port from " + FIRST + " to " + (FIRST + COUNT));
    }

    public static List<Integer> next(int count) {
        return Stream.generate(FreePorts::next).limit(count).toList();
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
