package io.tidemark.model.health;

import io.tidemark.model.config.HostPort;
import io.tidemark.model.config.QuorumVoter;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Asks the health ports of several nodes at once, each for a bounded time. */
public final class HttpProbe {
    private static final int CONNECT_MS = 2_000;
    private static final int PATIENCE_MS = 6_000;

    private HttpProbe() {}

    /**
     * @param node whom was asked, with the address of its health port
     * @param status of the answer, -1 without one, and then {@code problem} says in words why there is none
     * @param headers in lower case
     */
    public record Reply(QuorumVoter node, int status, String body, Map<String, String> headers, String problem) {
        public boolean answered() {
            return status >= 0;
        }

        /** That header of the answer, "" if it has none. */
        public String header(String name) {
            return headers.getOrDefault(name.toLowerCase(Locale.ROOT), "");
        }
    }

    /** One reply per node, in the order given. */
    public static List<Reply> ask(List<QuorumVoter> nodes, String path) throws InterruptedException {
        return ask(nodes, path, PATIENCE_MS);
    }

    /** @param patienceMs how long a node that takes the question may take to answer, milliseconds */
    public static List<Reply> ask(List<QuorumVoter> nodes, String path, int patienceMs) throws InterruptedException {
        return ask(nodes, List.of(path), patienceMs).get(0);
    }

    /**
     * All paths of all nodes at once: for each path one reply per node, both in the order given.
     *
     * @param patienceMs how long a node that takes a question may take to answer it, milliseconds
     */
    public static List<List<Reply>> ask(List<QuorumVoter> nodes, List<String> paths, int patienceMs)
            throws InterruptedException {
        ExecutorService threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "probe");
            thread.setDaemon(true);
            return thread;
        });
        try {
            List<List<Future<Reply>>> asked = new ArrayList<>();
            for (String path : paths) {
                List<Future<Reply>> ofPath = new ArrayList<>();
                nodes.forEach(node -> ofPath.add(threads.submit(() -> askOne(node, path, patienceMs))));
                asked.add(ofPath);
            }
            List<List<Reply>> replies = new ArrayList<>();
            for (List<Future<Reply>> ofPath : asked) {
                List<Reply> found = new ArrayList<>();
                for (Future<Reply> reply : ofPath) {
                    found.add(reply.get());
                }
                replies.add(found);
            }
            return replies;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private static Reply askOne(QuorumVoter node, String path, int patienceMs) {
        String address = new HostPort(node.host(), node.port()).toString();
        try {
            HttpURLConnection connection = (HttpURLConnection)
                    URI.create("http://" + address + path).toURL().openConnection();
            connection.setConnectTimeout(Math.min(CONNECT_MS, patienceMs));
            connection.setReadTimeout(patienceMs);
            int status = connection.getResponseCode();
            try (InputStream in = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                String body = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
                return new Reply(node, status, body, headers(connection), null);
            }
        } catch (ConnectException e) {
            return nothing(node, "nothing listens on " + address);
        } catch (SocketTimeoutException e) {
            return nothing(node, "no answer from " + address + " in time");
        } catch (IOException e) {
            return nothing(node, address + ": " + e.getMessage());
        }
    }

    private static Map<String, String> headers(HttpURLConnection connection) {
        Map<String, String> headers = new TreeMap<>();
        connection.getHeaderFields().forEach((name, values) -> {
            if (name != null) {
                headers.put(name.toLowerCase(Locale.ROOT), values.get(0));
            }
        });
        return headers;
    }

    private static Reply nothing(QuorumVoter node, String problem) {
        return new Reply(node, -1, "", Map.of(), problem);
    }
}
