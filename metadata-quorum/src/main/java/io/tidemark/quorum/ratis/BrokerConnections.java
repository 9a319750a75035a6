package io.tidemark.quorum.ratis;

import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;
import io.tidemark.quorum.core.ProcessWatch;
import io.tidemark.quorum.core.ProcessWatch.Event;
import io.tidemark.quorum.core.ProcessWatch.Order;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.ratis.server.DivisionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The acting controller's idle connections to the inter-broker listeners, on a thread of their own (B5): opens, asks and
 * closes what it is told to and reports what happens. What that means is for {@link ProcessWatch} to judge, and a host name
 * that takes long to resolve is a late turn for it.
 */
final class BrokerConnections implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerConnections.class);

    /** An attempt is given up after this, long before the kernel does; milliseconds. */
    static final long CONNECT_TIMEOUT_MS = 1_000;

    /** Upper bound of a wait, so that a change of leadership and new brokers are seen; milliseconds. */
    private static final long MAX_WAIT_MS = LeaderDuties.TICK_MS / 2;

    /** ApiVersions version 0, which every listener of a broker answers: size, key, version, correlation, no client id. */
    private static final byte[] QUESTION = ByteBuffer.allocate(14)
            .putInt(10)
            .putShort((short) 18)
            .putShort((short) 0)
            .putInt(0)
            .putShort((short) -1)
            .array();

    private record Connection(BrokerRef broker, long term, long giveUpMs) {}

    private final MetadataStateMachine machine;
    private final DivisionInfo info;
    private final DecisionMaker decisions;
    private final NodeClock clock;
    private final Consumer<QuorumCommand> submit;
    private final Selector selector;
    private final Thread thread;
    /** Every connection there is, by broker id. */
    private final Map<Integer, SelectionKey> keys = new HashMap<>();

    private final ByteBuffer heard = ByteBuffer.allocate(4096);
    private volatile boolean closed;

    /** {@code submit} takes commands from any thread. */
    BrokerConnections(
            MetadataStateMachine machine,
            DivisionInfo info,
            DecisionMaker decisions,
            NodeClock clock,
            Consumer<QuorumCommand> submit,
            int nodeId)
            throws IOException {
        this.machine = machine;
        this.info = info;
        this.decisions = decisions;
        this.clock = clock;
        this.submit = submit;
        this.selector = Selector.open();
        this.thread = Threads.daemon("controller-" + nodeId + "-brokers").newThread(this::run);
        thread.start();
    }

    private void run() {
        try (selector) {
            long waitMs = MAX_WAIT_MS;
            while (!closed) {
                selector.select(waitMs);
                waitMs = Math.max(1, Math.min(MAX_WAIT_MS, turn()));
            }
            closeAll();
        } catch (IOException e) {
            LOG.error("broker connections end: a dead broker is noticed by its session only", e);
        }
    }

    /** Returns how long the next turn may be off, milliseconds. */
    private long turn() {
        try {
            for (SelectionKey key : selector.selectedKeys()) {
                ready(key);
            }
            selector.selectedKeys().clear();
            giveUpLateAttempts();
            if (!info.isAlive() || !info.isLeader() || !info.isLeaderReady()) {
                closeAll();
                return MAX_WAIT_MS;
            }
            return obey(info.getCurrentTerm());
        } catch (RuntimeException e) {
            LOG.error("a turn over the broker connections failed; it is tried again", e);
            return MAX_WAIT_MS;
        }
    }

    private long obey(long term) {
        DecisionMaker.Watching watching =
                decisions.watch(term, machine.applied().image(), clock.mono());
        for (Order order : watching.orders()) {
            if (order instanceof Order.Connect connect) {
                connect(connect.broker(), connect.to(), term);
            } else if (order instanceof Order.Disconnect disconnect) {
                drop(disconnect.broker());
            } else if (order instanceof Order.Ask ask) {
                ask(ask.broker());
            } else if (order instanceof Order.Fence fence) {
                submit.accept(new QuorumCommand.FenceBrokers(fence.brokers(), fence.reason()));
            }
        }
        return watching.next().since(clock.mono());
    }

    private void connect(BrokerRef broker, Endpoint to, long term) {
        drop(broker);
        Connection connection = new Connection(broker, term, clock.mono().ms() + CONNECT_TIMEOUT_MS);
        SocketChannel channel = null;
        try {
            channel = SocketChannel.open();
            channel.configureBlocking(false);
            boolean connected = channel.connect(new InetSocketAddress(to.host(), to.port()));
            int interest = connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT;
            keys.put(broker.brokerId(), channel.register(selector, interest, connection));
            if (connected) {
                report(connection, Event.CONNECTED);
            }
        } catch (IOException | RuntimeException e) {
            // An address that cannot be resolved is among the unchecked ones.
            closeQuietly(channel);
            report(connection, meaning(e));
        }
    }

    private void ready(SelectionKey key) {
        Connection connection = (Connection) key.attachment();
        if (!key.isValid()) {
            return;
        }
        if (key.isConnectable()) {
            finish(key, connection);
        } else if (key.isReadable()) {
            listen(key, connection);
        }
    }

    private void finish(SelectionKey key, Connection connection) {
        try {
            if (((SocketChannel) key.channel()).finishConnect()) {
                key.interestOps(SelectionKey.OP_READ);
                report(connection, Event.CONNECTED);
            }
        } catch (IOException e) {
            drop(connection.broker());
            report(connection, meaning(e));
        }
    }

    /** Of the failures to connect only a refusal says something about the process. */
    private static Event meaning(Exception failure) {
        boolean refused = failure instanceof ConnectException
                && !String.valueOf(failure.getMessage()).contains("timed out");
        return refused ? Event.REFUSED : Event.FAILED;
    }

    private void listen(SelectionKey key, Connection connection) {
        int count;
        try {
            heard.clear();
            count = ((SocketChannel) key.channel()).read(heard);
        } catch (IOException e) {
            count = -1;
        }
        if (count < 0) {
            drop(connection.broker());
            report(connection, Event.CLOSED);
        } else if (count > 0) {
            report(connection, Event.ANSWERED);
        }
    }

    private void ask(BrokerRef broker) {
        SelectionKey key = keys.get(broker.brokerId());
        if (key == null) {
            return;
        }
        try {
            // What an idle connection does not take at once it would not answer either.
            ((SocketChannel) key.channel()).write(ByteBuffer.wrap(QUESTION));
        } catch (IOException e) {
            drop(broker);
            report((Connection) key.attachment(), Event.CLOSED);
        }
    }

    private void giveUpLateAttempts() {
        long now = clock.mono().ms();
        for (SelectionKey key : new ArrayList<>(keys.values())) {
            Connection connection = (Connection) key.attachment();
            boolean attempting = key.isValid() && key.interestOps() == SelectionKey.OP_CONNECT;
            if (attempting && now >= connection.giveUpMs()) {
                drop(connection.broker());
                report(connection, Event.FAILED);
            }
        }
    }

    private void report(Connection connection, Event event) {
        if (event == Event.CLOSED) {
            LOG.info("the connection to broker {} is lost", connection.broker().brokerId());
        } else {
            LOG.debug("the connection to broker {}: {}", connection.broker().brokerId(), event);
        }
        decisions.connection(connection.term(), connection.broker(), event, clock.mono());
    }

    private void drop(BrokerRef broker) {
        SelectionKey key = keys.remove(broker.brokerId());
        if (key != null) {
            closeQuietly(key.channel());
        }
    }

    private void closeAll() {
        List<SelectionKey> all = List.copyOf(keys.values());
        keys.clear();
        all.forEach(key -> closeQuietly(key.channel()));
    }

    private static void closeQuietly(AutoCloseable channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (Exception e) {
            LOG.debug("closing a connection to a broker: {}", e.toString());
        }
    }

    @Override
    public void close() {
        closed = true;
        selector.wakeup();
    }
}
