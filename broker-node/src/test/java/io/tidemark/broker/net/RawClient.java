package io.tidemark.broker.net;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;

/** A client that sends any bytes it likes. */
public final class RawClient implements AutoCloseable {
    private final Socket socket = new Socket();
    private final DataInputStream in;
    private int correlationId;

    public RawClient(int port) throws IOException {
        socket.connect(new InetSocketAddress("127.0.0.1", port), 5000);
        socket.setSoTimeout(10_000);
        in = new DataInputStream(socket.getInputStream());
    }

    /** The port of the server. */
    public int port() {
        return socket.getPort();
    }

    public void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    public static byte[] ints(int... values) {
        ByteBuffer buffer = ByteBuffer.allocate(4 * values.length);
        for (int value : values) {
            buffer.putInt(value);
        }
        return buffer.array();
    }

    public static byte[] frame(ByteBuffer content) {
        ByteBuffer buffer = ByteBuffer.allocate(4 + content.remaining());
        buffer.putInt(content.remaining()).put(content);
        return buffer.array();
    }

    /** The bytes of a request with its length, under the next correlation id. */
    public byte[] frame(AbstractRequest request) {
        return frame(request.serializeWithHeader(
                new RequestHeader(request.apiKey(), request.version(), "raw", correlationId++)));
    }

    public void send(AbstractRequest request) throws IOException {
        send(frame(request));
    }

    /** The next answer, which must be to {@code request} and carry that correlation id. */
    public AbstractResponse receive(AbstractRequest request, int correlation) throws IOException {
        return AbstractResponse.parseResponse(
                ByteBuffer.wrap(receive()), new RequestHeader(request.apiKey(), request.version(), "raw", correlation));
    }

    public AbstractResponse call(AbstractRequest request) throws IOException {
        send(request);
        return receive(request, correlationId - 1);
    }

    /** The content of the next frame. */
    public byte[] receive() throws IOException {
        byte[] content = new byte[in.readInt()];
        in.readFully(content);
        return content;
    }

    /** Waits until the other side has closed the connection, without having sent a byte; fails after some seconds. */
    public boolean closedByPeer() throws IOException {
        try {
            return in.read() < 0;
        } catch (EOFException | SocketException e) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
