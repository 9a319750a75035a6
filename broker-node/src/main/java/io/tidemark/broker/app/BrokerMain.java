package io.tidemark.broker.app;

import io.tidemark.model.config.BrokerConfig;
import io.tidemark.model.config.ConfigException;
import io.tidemark.model.config.DirectoryException;
import io.tidemark.model.config.NodeDirectory;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The broker process: {@code BrokerMain FILE.properties}. Ready when it says so on stdout; SIGTERM stops it in order. */
public final class BrokerMain {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerMain.class);

    private BrokerMain() {}

    public static void main(String[] arguments) {
        if (arguments.length != 1) {
            fail("usage: BrokerMain FILE.properties");
        }
        try {
            BrokerConfig config = BrokerConfig.load(Path.of(arguments[0]));
            NodeDirectory node = NodeDirectory.open(config.directory(), config.nodeId());
            Broker broker = new Broker(config, node, config.rpc(), BrokerMain::halt);
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(
                            () -> {
                                broker.close();
                                node.close();
                            },
                            "shutdown"));
            broker.start();
            System.out.println("TIDEMARK READY node=" + config.nodeId() + " role=broker");
        } catch (ConfigException | DirectoryException e) {
            fail(e.getMessage());
        } catch (IOException | RuntimeException e) {
            LOG.error("the broker cannot start", e);
            fail("the broker cannot start: " + e.getMessage());
        } catch (InterruptedException e) {
            fail("interrupted");
        }
    }

    /** Nothing is closed: what cannot go on is not to be trusted to end in order. */
    static void halt(String why) {
        LOG.error("this broker stops: {}", why);
        System.err.println("this broker stops: " + why);
        Runtime.getRuntime().halt(3);
    }

    private static void fail(String why) {
        System.err.println(why);
        System.exit(1);
    }
}
