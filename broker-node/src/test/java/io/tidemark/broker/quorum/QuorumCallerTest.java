package io.tidemark.broker.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class QuorumCallerTest {
    private static final int PATIENCE_S = 60;

    /** Giving a connection to it up takes gRPC seconds; heartbeats that waited for that came too late (B5). */
    @Test
    void whoStandsStillHoldsUpNoRequestToAnother() throws Exception {
        try (StandingStill paused = new StandingStill();
                StandingStill other = new StandingStill()) {
            List<QuorumVoter> voters =
                    QuorumVoter.parseList("1@127.0.0.1:" + paused.port() + ",2@127.0.0.1:" + other.port());
            LinkSettings settings = new LinkSettings("broker-1", voters, "AAAAAAAAAAAAAAAAAAAAAA", QuorumRpc.GRPC, 250);
            try (QuorumCaller caller = new QuorumCaller(settings, "test", 100)) {
                assertThatThrownBy(() -> caller.readFromLeader(voters.get(0), new byte[0])
                                .get(PATIENCE_S, TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class);
                CompletableFuture<?> next = caller.readFromLeader(voters.get(1), new byte[0]);
                other.met().get(PATIENCE_S, TimeUnit.SECONDS);

                assertThat(paused.left())
                        .as("the connection is still being given up")
                        .isNotDone();
                assertThat(next).as("nobody answers").isNotCompleted();
            }
        }
    }

    /** Accepts a connection and says nothing, as the kernel does for a process that is stopped. */
    private static final class StandingStill implements AutoCloseable {
        private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final CompletableFuture<Void> met = new CompletableFuture<>();
        private final CompletableFuture<Void> left = new CompletableFuture<>();

        StandingStill() throws IOException {
            Thread thread = new Thread(this::run, "standing-still");
            thread.setDaemon(true);
            thread.start();
        }

        private void run() {
            try (Socket connection = socket.accept()) {
                met.complete(null);
                byte[] bytes = new byte[1024];
                while (connection.getInputStream().read(bytes) >= 0) {
                    // What is asked is not looked at.
                }
                left.complete(null);
            } catch (IOException e) {
                left.completeExceptionally(new UncheckedIOException(e));
            }
        }

        int port() {
            return socket.getLocalPort();
        }

        CompletableFuture<Void> met() {
            return met;
        }

        CompletableFuture<Void> left() {
            return left;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
