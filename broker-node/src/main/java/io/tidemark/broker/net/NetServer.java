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
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The event loops of a process and its listening sockets. The loops run from construction on, so that partitions can be
 * hosted and recovered before the first client is let in; each listener is bound when the caller says so.
 */
public final class NetServer implements AutoCloseable {
    private final NetSettings settings;
    private final EventLoopGroup group;
    private final Map<EventExecutor, LoopHost> hosts = new IdentityHashMap<>();
    private final List<LoopHost> loops = new ArrayList<>();
    private final Complaints complaints = new Complaints();
    /** Half of the direct memory, which is as large as the heap if nothing else is said. */
    private final FrameBudget budget = new FrameBudget(Runtime.getRuntime().maxMemory() / 2);

    private final AtomicLong connectionIds = new AtomicLong();
    private final List<Channel> listening = new ArrayList<>();
    private final Set<Channel> connections = ConcurrentHashMap.newKeySet();

    /** {@code onLoopFailure} is told when a hosted loop has thrown; that loop is not driven any more. */
    public NetServer(NetSettings settings, Consumer<Throwable> onLoopFailure) {
        this.settings = settings;
        IoHandlerFactory io = Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        this.group = new MultiThreadIoEventLoopGroup(settings.loops(), new DefaultThreadFactory("loop"), io);
        for (EventExecutor executor : group) {
            LoopHost host = new LoopHost((EventLoop) executor, loops.size(), onLoopFailure);
            hosts.put(executor, host);
            loops.add(host);
        }
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
        connections.add(channel);
        channel.closeFuture().addListener(closed -> connections.remove(channel));
        new Connection(host, settings, handler, complaints, listener.name(), connectionIds.incrementAndGet(), budget)
                .install(channel, listener.security());
    }

    /** Client connections that are open now. */
    public int connectionCount() {
        return connections.size();
    }

    /** Stops listening; connections stay. */
    public synchronized void unbind() {
        listening.forEach(channel -> channel.close().awaitUninterruptibly());
        listening.clear();
    }

    /** Closes listeners and connections and ends the loops; waits for them, a few seconds at most. */
    @Override
    public void close() {
        unbind();
        List<ChannelFuture> closing = new ArrayList<>();
        connections.forEach(channel -> closing.add(channel.close()));
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
