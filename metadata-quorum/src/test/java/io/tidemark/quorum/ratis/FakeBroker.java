package io.tidemark.quorum.ratis;

import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumQuery.Heartbeat;
import io.tidemark.model.metadata.QuorumReply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** What controllers see of a broker process: a registration, heartbeats, and a listener that answers or does not. */
final class FakeBroker implements AutoCloseable {
    static final long INTERVAL_MS = 100;

    final int id;
    private final QuorumHarness quorum;
    private final HarnessClient client;
    /** A process that was killed does not try once more. */
    private final HarnessClient beatClient;

    private final ScheduledExecutorService beats = Executors.newSingleThreadScheduledExecutor();
    private final List<Socket> accepted = new CopyOnWriteArrayList<>();
    private final String incarnation;
    private ServerSocket listener;
    private volatile long epoch = -1;
    private volatile boolean silent;
    private volatile boolean mute;
    private volatile long lastBeatMs;
    private volatile int answeredBeats;

    FakeBroker(QuorumHarness quorum, int id, String incarnation) throws IOException {
        this.quorum = quorum;
        this.id = id;
        this.incarnation = incarnation;
        this.client = new HarnessClient(quorum);
        this.beatClient = HarnessClient.ofOneAttempt(quorum);
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    int port() {
        return listener.getLocalPort();
    }

    /** One attempt; heartbeats flow if it is accepted. */
    QuorumReply.Answer register(String... directories) throws IOException {
        return registerAt(port(), directories);
    }

    QuorumReply.Answer registerAt(int port, String... directories) throws IOException {
        QuorumReply.Answer answer = client.submit(new QuorumCommand.RegisterBroker(
                quorum.clusterId(),
                id,
                incarnation,
                List.of(directories),
                List.of(new Endpoint("PLAINTEXT", "127.0.0.1", port)),
                "",
                -1,
                "",
                false,
                1,
                1,
                List.of()));
        if (answer.reply() instanceof QuorumReply.Registered) {
            epoch = answer.brokerEpoch();
            beats.scheduleAtFixedRate(this::beat, 0, INTERVAL_MS, TimeUnit.MILLISECONDS);
        }
        return answer;
    }

    long epoch() {
        return epoch;
    }

    private void beat() {
        if (!silent) {
            try {
                lastBeatMs = System.currentTimeMillis();
                beatClient.heartbeat(
                        new Heartbeat(id, epoch, quorum.leader().image().index(), false, false));
                answeredBeats++;
            } catch (IOException | RuntimeException e) {
                // The next beat tries again.
            }
        }
    }

    /** Accepts connections and answers whatever arrives, until it is paused. */
    FakeBroker answering() {
        ServerSocket socket = listener;
        Thread acceptor = new Thread(
                () -> {
                    try {
                        while (true) {
                            Socket connection = socket.accept();
                            accepted.add(connection);
                            if (socket.isClosed()) {
                                // Accepted while this was being killed, which may not have seen it.
                                connection.close();
                            }
                            answer(connection);
                        }
                    } catch (IOException e) {
                        // Closed.
                    }
                },
                "fake-broker-" + id);
        acceptor.setDaemon(true);
        acceptor.start();
        return this;
    }

    private void answer(Socket connection) {
        Thread thread = new Thread(
                () -> {
                    byte[] bytes = new byte[64];
                    try {
                        int count = connection.getInputStream().read(bytes);
                        while (count > 0) {
                            if (!mute) {
                                connection.getOutputStream().write(bytes, 0, count);
                            }
                            count = connection.getInputStream().read(bytes);
                        }
                    } catch (IOException e) {
                        // Closed.
                    }
                },
                "fake-broker-" + id + "-answers");
        thread.setDaemon(true);
        thread.start();
    }

    /** Connections that were accepted, in order. */
    int connections() {
        return accepted.size();
    }

    int answeredBeats() {
        return answeredBeats;
    }

    /** When the last heartbeat was sent, wall milliseconds. */
    long lastBeatMs() {
        return lastBeatMs;
    }

    /** Like SIGSTOP: the kernel still accepts, nobody answers. */
    void pause() {
        silent = true;
        mute = true;
    }

    void resume() {
        silent = false;
        mute = false;
    }

    /** Like kill -9: sockets are closed and nothing is said any more. */
    void kill() {
        silent = true;
        hide();
    }

    /** Like a firewall that rejects: connections break and are refused, heartbeats flow. */
    void hide() {
        try {
            listener.close();
            for (Socket connection : accepted) {
                connection.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Listens again where it did. */
    void show() throws IOException {
        int port = listener.getLocalPort();
        listener = new ServerSocket();
        listener.setReuseAddress(true);
        listener.bind(new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        answering();
    }

    @Override
    public void close() throws IOException {
        beats.shutdownNow();
        hide();
        client.close();
        beatClient.close();
    }
}
