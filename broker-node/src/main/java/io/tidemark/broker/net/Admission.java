package io.tidemark.broker.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Who is let in, as Kafka does it: too many from one address are closed at once; when there are too many in all, or too
 * many in a short time, the listeners stop accepting, and who comes waits in the backlog of the kernel. Thread-safe.
 */
final class Admission {
    /** Unused creations are kept so long, for the moment when all clients of a broker come back. */
    private static final long BURST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private volatile ConnectionSettings settings;
    private final Complaints complaints;
    private final Runnable closeOneElsewhere;
    private final AtomicInteger open = new AtomicInteger();
    private final Map<InetAddress, Integer> perAddress = new ConcurrentHashMap<>();
    /** When the next creation is due, in nanoseconds; in the past as long as there is no hurry. */
    private final AtomicLong nextCreation;

    private final List<Door> doors = new CopyOnWriteArrayList<>();

    /** {@code closeOneElsewhere} closes the connection silent longest that is not on the protected listener. */
    Admission(ConnectionSettings settings, Complaints complaints, Runnable closeOneElsewhere) {
        this.settings = settings;
        this.complaints = complaints;
        this.closeOneElsewhere = closeOneElsewhere;
        this.nextCreation = new AtomicLong(System.nanoTime() - BURST_NANOS);
    }

    /** The handler of the listening channel of a listener. */
    Door door(String listener) {
        Door door = new Door(listener);
        doors.add(door);
        return door;
    }

    void noMoreDoors() {
        doors.clear();
    }

    /** Any thread. Connections that are open stay, even if there are more of them now than may be. */
    void settings(ConnectionSettings newer) {
        settings = newer;
        doors.forEach(Door::review);
    }

    private boolean isProtected(String listener) {
        return doors.size() > 1 && listener.equals(settings.protectedListener());
    }

    private boolean full() {
        return open.get() >= settings.max();
    }

    private void left(InetAddress address) {
        perAddress.computeIfPresent(address, (any, count) -> count == 1 ? null : count - 1);
        open.decrementAndGet();
        if (settings.max() != Integer.MAX_VALUE) {
            doors.forEach(Door::review);
        }
    }

    /** How long to wait after this creation, in nanoseconds; 0 or less for not at all. */
    private long delayAfterCreation() {
        if (settings.creationsPerSecond() == Integer.MAX_VALUE) {
            return 0;
        }
        long now = System.nanoTime();
        long apart = TimeUnit.SECONDS.toNanos(1) / settings.creationsPerSecond();
        return nextCreation.updateAndGet(due -> Math.max(due - now, -BURST_NANOS) + now + apart) - now;
    }

    /** Sees what a listening channel accepts before anybody else does. */
    final class Door extends ChannelInboundHandlerAdapter {
        private final String listener;
        private ChannelHandlerContext context;
        /** Loop only. */
        private boolean hurried;

        private Door(String listener) {
            this.listener = listener;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            context = ctx;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            Channel accepted = (Channel) message;
            InetAddress address = accepted.remoteAddress() instanceof InetSocketAddress from
                    ? from.getAddress()
                    : InetAddress.getLoopbackAddress();
            int limit = settings.maxFrom(address);
            if (perAddress.getOrDefault(address, 0) >= limit) {
                complaints.log("refusing a connection from " + address + " at " + listener + ": it has the " + limit
                        + " connections allowed to an address");
                accepted.unsafe().closeForcibly();
                return;
            }
            boolean crowded = full();
            perAddress.merge(address, 1, Integer::sum);
            open.incrementAndGet();
            accepted.closeFuture().addListener(closed -> left(address));
            if (crowded && isProtected(listener)) {
                closeOneElsewhere.run();
            }
            long delay = isProtected(listener) ? 0 : delayAfterCreation();
            if (delay > 0) {
                hurried = true;
                ctx.executor()
                        .schedule(
                                () -> {
                                    hurried = false;
                                    decide();
                                },
                                delay,
                                TimeUnit.NANOSECONDS);
            }
            decide();
            ctx.fireChannelRead(message);
        }

        /** Something that counts has changed; any thread. */
        private void review() {
            ChannelHandlerContext ctx = context;
            if (ctx != null && !ctx.executor().isShuttingDown()) {
                ctx.executor().execute(this::decide);
            }
        }

        private void decide() {
            context.channel().config().setAutoRead(!hurried && (!full() || isProtected(listener)));
        }
    }
}
