package io.tidemark.broker.app;

import io.tidemark.model.config.BrokerConfig;
import io.tidemark.model.config.ConfigException;
import io.tidemark.model.config.ControllerConfig;
import io.tidemark.model.config.DirectoryException;
import io.tidemark.model.config.NodeDirectory;
import io.tidemark.model.health.HealthServer;
import io.tidemark.quorum.app.ControllerNode;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Controller and broker in one process with one data directory, for development: {@code StandaloneMain FILE.properties}.
 * Ready when it says so on stdout; SIGTERM stops it in order.
 */
public final class StandaloneMain {
    private static final Logger LOG = LoggerFactory.getLogger(StandaloneMain.class);

    private StandaloneMain() {}

    public static void main(String[] arguments) {
        if (arguments.length != 1) {
            fail("usage: StandaloneMain FILE.properties");
        }
        try {
            Path file = Path.of(arguments[0]);
            ControllerConfig controllerConfig = ControllerConfig.load(file);
            BrokerConfig brokerConfig = BrokerConfig.load(file);
            if (!controllerConfig.directory().equals(brokerConfig.directory())) {
                fail("metadata.log.dir must not differ from log.dirs: the single process has one data directory");
            }
            NodeDirectory node = NodeDirectory.open(brokerConfig.directory(), brokerConfig.nodeId());
            HealthServer health = HealthServer.start(brokerConfig.health(), "node-" + brokerConfig.nodeId());
            ControllerNode controller = ControllerNode.start(
                    controllerConfig, node, (what, cause) -> BrokerMain.halt("the controller failed: " + what), health);
            Broker broker = new Broker(
                    brokerConfig,
                    node,
                    controllerConfig.rpc(),
                    BrokerMain::halt,
                    BrokerHealth.on(brokerConfig, health));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(broker, controller, node), "shutdown"));
            broker.start();
            System.out.println("TIDEMARK READY node=" + brokerConfig.nodeId() + " role=broker,controller");
        } catch (ConfigException | DirectoryException e) {
            fail(e.getMessage());
        } catch (IOException | RuntimeException e) {
            LOG.error("the node cannot start", e);
            fail("the node cannot start: " + e.getMessage());
        } catch (InterruptedException e) {
            fail("interrupted");
        }
    }

    /** The broker first: its orderly stop needs the controller. */
    private static void stop(Broker broker, ControllerNode controller, NodeDirectory node) {
        broker.close();
        try {
            controller.close();
        } catch (IOException e) {
            LOG.warn("the controller did not stop in order", e);
        }
        node.close();
    }

    private static void fail(String why) {
        System.err.println(why);
        System.exit(1);
    }
}
