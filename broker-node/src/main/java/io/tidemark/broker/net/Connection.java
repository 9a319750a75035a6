package io.tidemark.broker.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.List;
import org.apache.kafka.common.requests.AbstractResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client connection: hands requests on as they arrive, sends answers in the order of the requests, and stops reading
 * while too much is outstanding, or while there is no memory for what comes. A request is outstanding until its answer
 * has left for the socket, so a client that does not read its answers is not read either. All state belongs to the loop.
 */
final class Connection extends ChannelInboundHandlerAdapter implements LoopHost.Flushable {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    private final LoopHost host;
    private final NetSettings settings;
    private final CallHandler handler;
    private final Complaints complaints;
    private final String listenerName;
    private final long id;
    private final FrameReader reader;
    private final FrameBudget budget;
    /** Calls in order of arrival whose answer is not written yet. */
    private final ArrayDeque<ConnectionCall> calls = new ArrayDeque<>();

    private ChannelHandlerContext context;
    private InetAddress clientAddress;
    private int outstandingCalls;
    private long outstandingBytes;
    private boolean paused;
    private boolean delivering;
    private boolean unflushed;
    /** In the queue for memory; null if not. */
    private FrameBudget.Waiter hungry;
    /** When bytes last came or went. Written on the loop. */
    private volatile long usedNanos;
    /** What was waiting to be sent when last looked at. */
    private long unsentBytes;

    private volatile boolean closed;

    Connection(
            LoopHost host,
            NetSettings settings,
            CallHandler handler,
            Complaints complaints,
            String listenerName,
            long id,
            FrameBudget budget) {
        this.host = host;
        this.settings = settings;
        this.handler = handler;
        this.complaints = complaints;
        this.listenerName = listenerName;
        this.id = id;
        this.budget = budget;
        this.reader = new FrameReader(host.frames(), settings.maxRequestBytes(), budget);
        this.usedNanos = System.nanoTime();
    }

    /** To be called before the channel reads. */
    void install(Channel channel, Listener.Security security) {
        channel.config().setRecvByteBufAllocator(reader.allocator());
        security.install(channel, this);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        clientAddress = ctx.channel().remoteAddress() instanceof InetSocketAddress address
                ? address.getAddress()
                : InetAddress.getLoopbackAddress();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        host.readStarts();
        usedNanos = System.nanoTime();
        reader.received((ByteBuf) message);
        deliver();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        host.readComplete();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        closed = true;
        if (!delivering) {
            reader.close();
        }
        if (hungry != null) {
            budget.forget(hungry);
            hungry = null;
        }
        calls.forEach(ConnectionCall::dropAnswer);
        calls.clear();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof IOException) {
            LOG.debug("connection {} from {} broke: {}", id, clientAddress, cause.getMessage());
            ctx.close();
        } else {
            close(cause.toString());
        }
    }

    /** Closes, saying why in the log; on the loop. */
    void close(String reason) {
        if (!closed) {
            complaints.log("closing connection " + id + " of " + clientAddress + " at " + listenerName + ": " + reason);
            closed = true;
            context.close();
        }
    }

    private void deliver() {
        if (delivering) {
            return; // an answer given by the handler freed a place; the loop below goes on by itself
        }
        delivering = true;
        try {
            while (!closed && !paused) {
                ByteBuf frame = reader.next();
                if (frame == null) {
                    break;
                }
                accept(frame);
            }
        } catch (InvalidFrameException e) {
            close(e.getMessage());
        } finally {
            delivering = false;
            if (closed) {
                reader.close();
            } else if (reader.missing() > 0 && hungry == null && !paused) {
                awaitMemory();
            }
        }
    }

    private void awaitMemory() {
        hungry = new FrameBudget.Waiter(reader.missing(), source -> host.execute(() -> retry(source)));
        readOrNot();
        budget.await(hungry);
    }

    private void retry(FrameBudget source) {
        hungry = null;
        if (closed || paused) {
            // What it goes on with when it is read again, it asks for then.
            if (source != budget) {
                budget.favourEnds();
            }
        } else {
            reader.feedFrom(source);
            deliver();
            readOrNot();
        }
        if (hungry == null) {
            budget.wakeNext();
        }
    }

    private void readOrNot() {
        if (!closed) {
            context.channel().config().setAutoRead(!paused && hungry == null);
        }
    }

    private void accept(ByteBuf frame) throws InvalidFrameException {
        ConnectionCall call = null;
        try {
            call = new ConnectionCall(this, frame, RequestParser.parse(frame.nioBuffer()));
        } finally {
            if (call == null) {
                frame.release();
            }
        }
        calls.add(call);
        hold(1, call.bytes());
        try {
            handler.handle(call);
        } catch (Exception e) {
            LOG.error("the handler of {} failed", call.header(), e);
            call.respond(call.body().getErrorResponse(e));
        } finally {
            call.handled();
        }
    }

    /** An answer has come, on the loop: everything that is now at the head of the queue leaves. */
    void answered(ConnectionCall call, AbstractResponse response) {
        if (closed) {
            if (response != null) {
                MessageEncoder.releaseRegions(response);
            }
            return;
        }
        try {
            call.encode(context.alloc(), response);
        } catch (RuntimeException e) {
            MessageEncoder.releaseRegions(response);
            LOG.error("the answer to {} cannot be encoded", call.header(), e);
            close("an answer could not be encoded");
            return;
        }
        hold(0, call.answerBytes());
        while (!calls.isEmpty() && calls.peekFirst().ready()) {
            write(calls.pollFirst());
        }
    }

    private void write(ConnectionCall call) {
        long bytes = call.bytes() + call.answerBytes();
        List<Object> parts = call.takeAnswer();
        if (parts.isEmpty()) {
            letGo(1, bytes);
            return;
        }
        ChannelFuture last = null;
        for (Object part : parts) {
            last = context.write(part);
        }
        last.addListener(new Sent(bytes));
        if (!unflushed) {
            unflushed = true;
            host.written(this);
        }
    }

    /** An answer is out, or will never be. */
    private final class Sent implements ChannelFutureListener {
        private final long bytes;

        private Sent(long bytes) {
            this.bytes = bytes;
        }

        @Override
        public void operationComplete(ChannelFuture future) {
            usedNanos = System.nanoTime();
            letGo(1, bytes);
        }
    }

    @Override
    public void flush() {
        unflushed = false;
        context.flush();
    }

    private void hold(int count, long bytes) {
        outstandingCalls += count;
        outstandingBytes += bytes;
        if (!paused && full()) {
            paused = true;
            readOrNot();
        }
    }

    private void letGo(int count, long bytes) {
        outstandingCalls -= count;
        outstandingBytes -= bytes;
        if (paused && !closed && !full()) {
            paused = false;
            deliver();
            readOrNot();
        }
    }

    /**
     * Closes this connection if there is nothing to be done for it and it has been silent for longer than
     * {@code maxIdleNanos}; or, while others wait for memory, if it has held an unfinished frame for longer than
     * {@code patienceNanos} without going on. On the loop.
     */
    void closeIfIdle(long now, long maxIdleNanos, long patienceNanos) {
        ChannelOutboundBuffer unsent = context.channel().unsafe().outboundBuffer();
        long left = unsent == null ? 0 : unsent.totalPendingWriteBytes() - unsent.currentProgress();
        if (left != unsentBytes) {
            unsentBytes = left;
            usedNanos = now; // a large answer is on its way
        }
        // Answers that the client does not take are not work to be done.
        if (closed) {
            return;
        }
        if (calls.isEmpty() && now - usedNanos > maxIdleNanos) {
            LOG.debug("connection {} of {} was idle", id, clientAddress); // as it happens every day
            closed = true;
            context.close();
        } else if (reader.unfinished() && budget.exhausted() && now - usedNanos > patienceNanos) {
            close("the requests of all clients together take all memory there is for them, and its own did not go on");
        }
    }

    /** Nanoseconds as of the system's clock when bytes last came or went. Any thread. */
    long usedNanos() {
        return usedNanos;
    }

    private boolean full() {
        return outstandingCalls >= settings.maxOutstandingCalls() || outstandingBytes >= settings.maxOutstandingBytes();
    }

    LoopHost host() {
        return host;
    }

    String listenerName() {
        return listenerName;
    }

    InetAddress clientAddress() {
        return clientAddress;
    }

    long id() {
        return id;
    }

    boolean open() {
        return !closed;
    }

    static void release(List<Object> parts) {
        parts.forEach(ReferenceCountUtil::release);
    }
}
