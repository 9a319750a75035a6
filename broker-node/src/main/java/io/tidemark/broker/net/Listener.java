package io.tidemark.broker.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;

/**
 * Where a broker listens.
 *
 * @param name as in {@code listeners}, such as PLAINTEXT
 * @param host address to bind, "" for all
 * @param port 0 for any free one
 * @param security how its connections are secured
 */
public record Listener(String name, String host, int port, Security security) {
    /** What comes before the frames in the pipeline of a connection of this listener. */
    @FunctionalInterface
    public interface Security {
        /** Nothing. */
        Security PLAINTEXT = (channel, connection) -> channel.pipeline().addLast(connection);

        /**
         * Fills the pipeline of a new connection. A TLS listener puts its handler before {@code connection}, which must
         * then copy file regions instead of passing them on.
         */
        void install(Channel channel, ChannelHandler connection);
    }

    public static Listener plaintext(String name, String host, int port) {
        return new Listener(name, host, port, Security.PLAINTEXT);
    }
}
