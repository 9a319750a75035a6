package io.tidemark.model.health;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tidemark.model.config.HealthConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP port of a node: {@code /livez}, {@code /readyz} (200 or 503, with the facts as JSON), {@code /metrics}, and
 * whatever pages are added; {@code /} lists them. It reads and changes nothing. It opens before the node does its work, so
 * that a long recovery can be watched.
 */
public final class HealthServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HealthServer.class);
    /** A look at a node asks several pages at once, and those of a loop that does not turn take their time. */
    private static final int THREADS = 8;
    /** A client that is slow to ask, or to take its answer, does not keep a thread longer; seconds. */
    private static final String PATIENCE_S = "10";

    private static final String MOST_CONNECTIONS = "64";

    private final HttpServer http;
    private final ThreadPoolExecutor threads;
    private final ScheduledExecutorService ticker;
    private final Metrics metrics = new Metrics();
    private final boolean partitionBeans;
    /** Made by the first tick: it is much to load, and a node that starts has other things to do. */
    private volatile MetricBeans beans;

    private final Map<String, Page> pages = new ConcurrentSkipListMap<>();

    private HealthServer(HttpServer http, String name, boolean partitionBeans) {
        this.http = http;
        this.partitionBeans = partitionBeans;
        ThreadFactory factory = task -> {
            Thread thread = new Thread(task, name + "-health");
            thread.setDaemon(true);
            return thread;
        };
        threads = (ThreadPoolExecutor) Executors.newFixedThreadPool(THREADS, factory);
        ticker = Executors.newSingleThreadScheduledExecutor(factory);
        http.setExecutor(threads);
        http.createContext("/", this::answer);
        add("/livez", query -> Page.Answer.json(200, Map.of("alive", true)));
        add("/warnings", query -> Page.Answer.text(200, ""));
        add("/problems", query -> Page.Answer.text(200, ""));
        ready(() -> Readiness.of(false, "starting", Map.of()));
        add(
                "/metrics",
                query ->
                        new Page.Answer(200, PrometheusText.CONTENT_TYPE, PrometheusText.of(metrics.read()), Map.of()));
    }

    /**
     * Listens where the configuration says; null if it says that there is no such port.
     *
     * @param name of the node, for its threads
     * @throws IOException if it cannot listen there
     */
    public static HealthServer start(HealthConfig config, String name) throws IOException {
        if (!config.enabled()) {
            return null;
        }
        // Read once, when the first server of the process is made.
        System.getProperties().putIfAbsent("sun.net.httpserver.maxReqTime", PATIENCE_S);
        System.getProperties().putIfAbsent("sun.net.httpserver.maxRspTime", PATIENCE_S);
        System.getProperties().putIfAbsent("jdk.httpserver.maxConnections", MOST_CONNECTIONS);
        InetSocketAddress address = config.host().isEmpty()
                ? new InetSocketAddress(config.port())
                : new InetSocketAddress(InetAddress.getByName(config.host()), config.port());
        HttpServer http;
        try {
            http = HttpServer.create(address, 0);
        } catch (BindException e) {
            throw new IOException(
                    "cannot listen on " + address + " for health and metrics (health.port): " + e.getMessage(), e);
        }
        HealthServer server = new HealthServer(http, name, config.partitionBeans());
        http.start();
        server.ticker.scheduleAtFixedRate(server::tick, MeterRates.TICK_S, MeterRates.TICK_S, TimeUnit.SECONDS);
        LOG.info("health and metrics on {}", http.getAddress());
        return server;
    }

    public int port() {
        return http.getAddress().getPort();
    }

    /** Adds a page, or replaces the one of that path. */
    public void add(String path, Page page) {
        pages.put(path, page);
    }

    /** What {@code /readyz} tells from now on. */
    public void ready(Supplier<Readiness> readiness) {
        add("/readyz", query -> {
            Readiness told = readiness.get();
            return Page.Answer.json(told.ready() ? 200 : 503, told.facts());
        });
    }

    public void add(MetricSource source) {
        metrics.add(source);
    }

    private void tick() {
        try {
            if (beans == null) {
                beans = new MetricBeans(ManagementFactory.getPlatformMBeanServer(), metrics, partitionBeans);
            }
            beans.tick();
        } catch (RuntimeException e) {
            LOG.warn("the MBeans of the metrics are not up to date", e);
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            Page.Answer answer;
            try {
                answer = answerTo(exchange);
            } catch (RuntimeException e) {
                LOG.warn("{} cannot be answered", exchange.getRequestURI(), e);
                answer = Page.Answer.text(500, e + "\n");
            }
            byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", answer.contentType());
            answer.headers().forEach(exchange.getResponseHeaders()::set);
            boolean head = exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(answer.status(), head || body.length == 0 ? -1 : body.length);
            if (!head && body.length > 0) {
                try (OutputStream out = exchange.getResponseBody()) {
                    out.write(body);
                }
            }
        }
    }

    private Page.Answer answerTo(HttpExchange exchange) {
        String method = exchange.getRequestMethod();
        if (!method.equals("GET") && !method.equals("HEAD")) {
            return Page.Answer.text(405, "only GET\n").with("Allow", "GET, HEAD");
        }
        String path = exchange.getRequestURI().getPath();
        Page page = pages.get(path);
        if (page != null) {
            return page.answer(query(exchange.getRequestURI().getRawQuery()));
        }
        String list = String.join("\n", pages.keySet()) + "\n";
        return path.equals("/") ? Page.Answer.text(200, list) : Page.Answer.text(404, "there is only:\n" + list);
    }

    private static Map<String, String> query(String raw) {
        Map<String, String> query = new HashMap<>();
        if (raw == null) {
            return query;
        }
        for (String part : raw.split("&")) {
            int equals = part.indexOf('=');
            String key = equals < 0 ? part : part.substring(0, equals);
            query.put(decoded(key), equals < 0 ? "" : decoded(part.substring(equals + 1)));
        }
        return query;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        ticker.shutdownNow();
        http.stop(0);
        threads.shutdownNow();
        if (beans != null) {
            beans.close();
        }
    }
}
