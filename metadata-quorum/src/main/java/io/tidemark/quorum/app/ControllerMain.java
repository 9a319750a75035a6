package io.tidemark.quorum.app;

import io.tidemark.model.config.ConfigException;
import io.tidemark.model.config.ControllerConfig;
import io.tidemark.model.config.DirectoryException;
import io.tidemark.model.config.NodeDirectory;
import io.tidemark.quorum.ratis.FatalHandler;
import java.io.IOException;
import java.net.BindException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One controller: {@code ControllerMain FILE.properties}. Says {@code TIDEMARK READY} on standard output once it takes
 * part, that is, acts or follows one that acts; while too few others are there it keeps trying and is not ready. SIGTERM stops it in seconds. Exit status: 1 if it cannot start, 2 if the arguments are wrong, 3 if it fails
 * later; each with a line on standard error.
 */
public final class ControllerMain {
    private static final int CANNOT_START = 1;
    private static final int USAGE = 2;
    private static final int FAILED = 3;
    private static final long STOP_MS = 10_000;
    private static final long LOOK_MS = 20;
    private static final long SAY_AFTER_MS = 5_000;

    private ControllerMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        if (arguments.length != 1) {
            System.err.println("usage: ControllerMain FILE.properties");
            System.exit(USAGE);
        }
        try {
            run(Path.of(arguments[0]));
        } catch (ConfigException | DirectoryException e) {
            refuse(e.getMessage(), e);
        } catch (IOException | RuntimeException e) {
            refuse("the controller cannot start: " + e, e);
        }
        // The process ends by a signal, or by the handler of fatal failures.
        new CountDownLatch(1).await();
    }

    private static void run(Path file) throws IOException, InterruptedException {
        ControllerConfig config = ControllerConfig.load(file);
        NodeDirectory directory = NodeDirectory.open(config.directory(), config.nodeId());
        ControllerNode node;
        try {
            node = ControllerNode.start(config, directory, FatalHandler.halt(FAILED));
        } catch (IOException | RuntimeException e) {
            directory.close();
            if (causedByBind(e)) {
                refuse("cannot listen on " + config.self().address() + " (quorum): is another process there?", e);
            }
            throw e;
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(node, directory), "stop"));
        log().info("controller {} of cluster {} started", config.nodeId(), directory.clusterId());
        awaitQuorum(node);
        System.out.println("TIDEMARK READY node=" + config.nodeId() + " role=controller");
    }

    private static void awaitQuorum(ControllerNode node) throws InterruptedException {
        for (int looks = 0; !node.takesPart(); looks++) {
            if (looks * LOOK_MS == SAY_AFTER_MS) {
                log().info("no acting controller: waiting until a majority of the controllers is there");
            }
            Thread.sleep(LOOK_MS);
        }
    }

    /** In bounded time: whatever does not stop by itself ends with the process. */
    private static void stop(ControllerNode node, NodeDirectory directory) {
        Thread closing = new Thread(
                () -> {
                    try {
                        node.close();
                        directory.close();
                    } catch (IOException | RuntimeException e) {
                        log().warn("stopping", e);
                    }
                },
                "stop-controller");
        closing.setDaemon(true);
        closing.start();
        try {
            closing.join(STOP_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean causedByBind(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof BindException) {
                return true;
            }
        }
        return false;
    }

    private static void refuse(String line, Throwable cause) {
        log().error("{}", line, cause);
        System.err.println(line);
        // Some thread may not end by itself after a failed start.
        Runtime.getRuntime().halt(CANNOT_START);
    }

    private static Logger log() {
        return LoggerFactory.getLogger(ControllerMain.class);
    }
}
