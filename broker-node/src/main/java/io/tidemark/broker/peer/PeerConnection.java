package io.tidemark.broker.peer;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.NetUtil;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.tidemark.broker.net.FrameReader;
import io.tidemark.broker.net.InvalidFrameException;
import io.tidemark.broker.net.LoopHost;
import io.tidemark.broker.net.MessageEncoder;
import io.tidemark.broker.net.NetServer;
import io.tidemark.model.MonoTime;
import io.tidemark.model.metadata.Endpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;

/**
 * A connection to another broker that lives on one loop; it connects once, carries requests in order, and after its end
 * is never used again: who wants to go on opens a new one. Every request gets exactly one outcome. Any failure (connect,
 * time limit, unreadable answer, close) ends the connection and all requests on it.
 *
 * <p>{@link #send} and {@link #close} are called on the loop. Requests sent before the connection stands leave when it
 * does.
 */
public final class PeerConnection implements PeerLink, LoopHost.Flushable {
    private static final Executor RESOLVERS =
            Executors.newCachedThreadPool(new DefaultThreadFactory("peer-resolver", true));

    private final LoopHost host;
    private final Endpoint endpoint;
    private final PeerSettings settings;
    private final FrameReader reader;
    private final ArrayDeque<Pending> pending = new ArrayDeque<>();
    /** Encoded requests that wait for the connection to stand. */
    private final ArrayDeque<Object> queued = new ArrayDeque<>();

    private Channel channel;
    private boolean connected;
    private boolean unflushed;
    private boolean timed;
    private int correlationId;
    private Throwable end;

    private record Pending(RequestHeader header, PeerCallback callback, MonoTime deadline) {}

    private PeerConnection(LoopHost host, Endpoint endpoint, PeerSettings settings) {
        this.host = host;
        this.endpoint = endpoint;
        this.settings = settings;
        this.reader = new FrameReader(host.frames(), settings.maxResponseBytes());
    }

    /** Begins to connect; a failure shows in the requests sent. On the loop. */
    public static PeerConnection open(LoopHost host, Endpoint endpoint, PeerSettings settings) {
        PeerConnection connection = new PeerConnection(host, endpoint, settings);
        if (NetUtil.isValidIpV4Address(endpoint.host()) || NetUtil.isValidIpV6Address(endpoint.host())) {
            connection.connect(new InetSocketAddress(endpoint.host(), endpoint.port()));
        } else {
            // A name may take seconds to resolve, or not to: never on a loop.
            CompletableFuture.supplyAsync(() -> new InetSocketAddress(endpoint.host(), endpoint.port()), RESOLVERS)
                    .thenAccept(address -> host.execute(() -> connection.connect(address)));
        }
        return connection;
    }

    private void connect(InetSocketAddress address) {
        if (end != null) {
            return;
        }
        if (address.isUnresolved()) {
            fail(new UnknownHostException("the host name " + endpoint.host() + " is unknown"));
            return;
        }
        ChannelFuture connecting = new Bootstrap()
                .group(host.eventLoop())
                .channel(NetServer.clientChannel())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, settings.connectTimeoutMs())
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel created) {
                        created.config().setRecvByteBufAllocator(reader.allocator());
                        created.pipeline().addLast(new Handler());
                    }
                })
                .connect(address);
        channel = connecting.channel();
        connecting.addListener(result -> {
            if (!result.isSuccess()) {
                fail(result.cause());
            }
        });
    }

    @Override
    public boolean usable() {
        return end == null;
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    @Override
    public void send(AbstractRequest request, PeerCallback callback) {
        Throwable ended = end;
        if (ended != null) {
            host.execute(() -> callback.failed(ended));
            return;
        }
        ApiKeys key = request.apiKey();
        RequestHeader header = new RequestHeader(key, request.version(), settings.clientId(), correlationId++);
        List<Object> parts = MessageEncoder.encode(
                ByteBufAllocator.DEFAULT, header.data(), header.headerVersion(), request.data(), request.version());
        pending.add(new Pending(header, callback, LoopHost.now().plus(settings.requestTimeoutMs())));
        if (connected) {
            write(parts);
        } else {
            queued.addAll(parts);
        }
        watch();
    }

    private void write(Iterable<Object> parts) {
        parts.forEach(channel::write);
        if (!unflushed) {
            unflushed = true;
            host.written(this);
        }
    }

    @Override
    public void flush() {
        unflushed = false;
        channel.flush();
    }

    @Override
    public void close() {
        fail(new IOException("the connection to " + endpoint.host() + ":" + endpoint.port() + " was closed here"));
    }

    /** One timer for the oldest request, armed only while there is one. */
    private void watch() {
        if (timed || pending.isEmpty()) {
            return;
        }
        timed = true;
        long delay = Math.max(1, pending.peekFirst().deadline().since(LoopHost.now()));
        host.eventLoop()
                .schedule(
                        () -> {
                            timed = false;
                            Pending oldest = pending.peekFirst();
                            if (oldest != null && oldest.deadline().compareTo(LoopHost.now()) <= 0) {
                                fail(new IOException(
                                        "no answer to " + oldest.header().apiKey() + " from "
                                                + endpoint.host() + ":" + endpoint.port() + " within "
                                                + settings.requestTimeoutMs() + " ms"));
                            }
                            watch();
                        },
                        delay,
                        TimeUnit.MILLISECONDS);
    }

    private void fail(Throwable cause) {
        if (end != null) {
            return;
        }
        end = cause;
        queued.forEach(ReferenceCountUtil::release);
        queued.clear();
        if (channel != null) {
            channel.close();
        }
        while (!pending.isEmpty()) {
            pending.pollFirst().callback().failed(cause);
        }
        host.wake();
    }

    private void answer(ByteBuf frame) throws InvalidFrameException {
        try {
            Pending oldest = pending.peekFirst();
            if (oldest == null) {
                throw new InvalidFrameException("an answer that nobody asked for");
            }
            AbstractResponse body = parse(frame.nioBuffer(), oldest.header());
            pending.pollFirst();
            oldest.callback().answered(new Response(body, frame));
        } finally {
            frame.release();
        }
    }

    private static AbstractResponse parse(ByteBuffer frame, RequestHeader header) throws InvalidFrameException {
        try {
            return AbstractResponse.parseResponse(frame, header);
        } catch (RuntimeException e) {
            throw new InvalidFrameException(
                    "an answer to " + header.apiKey() + " is not readable: " + e.getMessage(), e);
        }
    }

    private final class Handler extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            connected = true;
            if (!queued.isEmpty()) {
                write(List.copyOf(queued));
                queued.clear();
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            host.readStarts();
            if (end != null) {
                ReferenceCountUtil.release(message);
                return;
            }
            reader.received((ByteBuf) message);
            try {
                ByteBuf frame = reader.next();
                while (frame != null) {
                    answer(frame);
                    frame = end == null ? reader.next() : null;
                }
            } catch (InvalidFrameException e) {
                fail(e);
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            host.readComplete();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            reader.close();
            fail(new IOException("the connection to " + endpoint.host() + ":" + endpoint.port() + " was closed"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            fail(cause);
        }
    }

    private record Response(AbstractResponse body, ByteBuf frame) implements PeerResponse {
        @Override
        public void retainFrame() {
            try {
                frame.retain();
            } catch (IllegalReferenceCountException e) {
                throw new IllegalStateException("the frame is gone", e);
            }
        }

        @Override
        public void releaseFrame() {
            try {
                frame.release();
            } catch (IllegalReferenceCountException e) {
                throw new IllegalStateException("the frame was released more often than retained", e);
            }
        }

        @Override
        public int heldBytes() {
            return frame.unwrap() == null ? frame.capacity() : frame.unwrap().capacity();
        }
    }
}
