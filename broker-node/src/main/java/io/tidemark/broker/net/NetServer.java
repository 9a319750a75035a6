package io.tidemark.broker.net;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The event loops of a process and its listening sockets. The loops run from construction on, so that partitions can be
 * hosted and recovered before the first client is let in; each listener is bound when the caller says so.
 */
public final class NetServer implements AutoCloseable {
    private static final long MIN_REVIEW_MS = 50;
    private static final long MAX_REVIEW_MS = 5_000;
    /** How long a client may hold an unfinished request without going on while others wait for memory. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final NetSettings settings;
    private final EventLoopGroup group;
    private final Map<EventExecutor, LoopHost> hosts = new IdentityHashMap<>();
    private final List<LoopHost> loops = new ArrayList<>();
    private final Complaints complaints = new Complaints();
    private final FrameBudget budget;

    private final AtomicLong connectionIds = new AtomicLong();
    private final List<Channel> listening = new ArrayList<>();
    private final Map<Channel, Connection> connections = new ConcurrentHashMap<>();
    private volatile ConnectionSettings limits;
    private final Admission admission;

    /** {@code onLoopFailure} is told when a hosted loop has thrown; that loop is not driven any more. */
    public NetServer(NetSettings settings, Consumer<Throwable> onLoopFailure) {
        this(settings, ConnectionSettings.UNLIMITED, onLoopFailure);
    }

    public NetServer(NetSettings settings, ConnectionSettings limits, Consumer<Throwable> onLoopFailure) {
        this(settings, limits, Runtime.getRuntime().maxMemory() / 2, onLoopFailure);
    }

    /** {@code frameBytes}: what the frames of all clients may take; above, half of the direct memory, itself as large as the heap. */
    NetServer(NetSettings settings, ConnectionSettings limits, long frameBytes, Consumer<Throwable> onLoopFailure) {
        this.settings = settings;
        this.limits = limits;
        this.budget = new FrameBudget(frameBytes);
        this.admission = new Admission(limits, complaints, this::closeSilentOne);
        IoHandlerFactory io = Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        this.group = new MultiThreadIoEventLoopGroup(settings.loops(), new DefaultThreadFactory("loop"), io);
        for (EventExecutor executor : group) {
            LoopHost host = new LoopHost((EventLoop) executor, loops.size(), onLoopFailure);
            hosts.put(executor, host);
            loops.add(host);
        }
        long reviewMs = Math.max(MIN_REVIEW_MS, Math.min(MAX_REVIEW_MS, limits.maxIdleMs() / 4));
        for (LoopHost host : loops) {
            host.eventLoop().scheduleWithFixedDelay(() -> closeIdle(host), reviewMs, reviewMs, TimeUnit.MILLISECONDS);
        }
    }

    /** Any thread: other limits from now on; how often idle connections are looked for stays as it was. */
    public void limits(ConnectionSettings newer) {
        limits = newer;
        admission.settings(newer);
    }

    private void closeIdle(LoopHost host) {
        long idle = limits.maxIdleMs() < 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(limits.maxIdleMs());
        long now = System.nanoTime();
        for (Connection connection : connections.values()) {
            if (connection.host() == host) {
                connection.closeIfIdle(now, idle, PATIENCE_NANOS);
            }
        }
    }

    private void closeSilentOne() {
        long now = System.nanoTime();
        connections.values().stream()
                .filter(connection -> !connection.listenerName().equals(limits.protectedListener()))
                .max(Comparator.comparingLong(connection -> now - connection.usedNanos()))
                .ifPresent(connection -> connection
                        .host()
                        .eventLoop()
                        .execute(() -> connection.close(
                                "another broker connects and there are " + limits.max() + " connections")));
    }

    public List<LoopHost> loops() {
        return List.copyOf(loops);
    }

    /**
     * Opens a listener; every request on it goes to {@code handler}. Returns the port. The message of the IOException
     * says what could not be bound and why.
     */
    public synchronized int bind(Listener listener, CallHandler handler) throws IOException {
        InetSocketAddress address = listener.host().isEmpty()
                ? new InetSocketAddress(listener.port())
                : new InetSocketAddress(listener.host(), listener.port());
        String name = listener.name() + "://" + listener.host() + ":" + listener.port();
        if (address.isUnresolved()) {
            throw new IOException("cannot listen on " + name + ": the host name is unknown");
        }
        ChannelFuture bound = new ServerBootstrap()
                .group(group)
                .channel(serverChannel())
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, 512)
                // Accepted one at a time: a listener that has to stop accepting stops at once.
                .option(ChannelOption.RECVBUF_ALLOCATOR, new ServerChannelRecvByteBufAllocator().maxMessagesPerRead(1))
                .handler(admission.door(listener.name()))
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accept(channel, listener, handler);
                    }
                })
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "cannot listen on " + name + ": " + bound.cause().getMessage(), bound.cause());
        }
        listening.add(bound.channel());
        return ((InetSocketAddress) bound.channel().localAddress()).getPort();
    }

    private void accept(Channel channel, Listener listener, CallHandler handler) {
        LoopHost host = hosts.get(channel.eventLoop());
        Connection connection = new Connection(
                host, settings, handler, complaints, listener.name(), connectionIds.incrementAndGet(), budget);
        connection.install(channel, listener.security());
        connections.put(channel, connection);
        channel.closeFuture().addListener(closed -> connections.remove(channel));
    }

    /** Client connections that are open now. */
    public int connectionCount() {
        return connections.size();
    }

    FrameBudget frameBudget() {
        return budget;
    }

    /** Stops listening; connections stay. */
    public synchronized void unbind() {
        listening.forEach(channel -> channel.close().awaitUninterruptibly());
        listening.clear();
        admission.noMoreDoors();
    }

    /** Closes listeners and connections and ends the loops; waits for them, a few seconds at most. */
    @Override
    public void close() {
        unbind();
        List<ChannelFuture> closing = new ArrayList<>();
        connections.keySet().forEach(channel -> closing.add(channel.close()));
        closing.forEach(future -> future.awaitUninterruptibly(1, TimeUnit.SECONDS));
        loops.forEach(host -> host.eventLoop().execute(host.frames()::close));
        group.shutdownGracefully(0, 3, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
    }

    private static Class<? extends ServerChannel> serverChannel() {
        return Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    /** The class of outgoing connections that goes with the loops. */
    public static Class<? extends SocketChannel> clientChannel() {
        return Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class;
    }
}
