package io.tidemark.broker.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.ResponseHeader;

/** A request of a {@link Connection} and its place in the order of answers. */
final class ConnectionCall implements Call {
    private final Connection connection;
    private final ByteBuf frame;
    private final int bytes;
    private final RequestHeader header;
    private final AbstractRequest body;
    private final AtomicBoolean answered = new AtomicBoolean();
    /** The encoded answer; null until it has come, empty if nothing is to be sent. Loop only. */
    private List<Object> answer;

    private int answerBytes;

    /** Takes over the caller's reference to the frame. */
    ConnectionCall(Connection connection, ByteBuf frame, RequestParser.Parsed parsed) {
        this.connection = connection;
        this.frame = frame;
        this.bytes = frame.readableBytes();
        this.header = parsed.header();
        this.body = parsed.body();
    }

    /** The handler has returned: from here on only its own references keep the frame. */
    void handled() {
        frame.release();
    }

    /** Size of the request's frame. */
    int bytes() {
        return bytes;
    }

    /** Memory of the encoded answer, its records apart. */
    int answerBytes() {
        return answerBytes;
    }

    boolean ready() {
        return answer != null;
    }

    void encode(ByteBufAllocator allocator, AbstractResponse response) {
        if (response == null) {
            answer = List.of();
            return;
        }
        ResponseHeader responseHeader = header.toResponseHeader();
        answer = MessageEncoder.encode(
                allocator, responseHeader.data(), responseHeader.headerVersion(), response.data(), body.version());
        for (Object part : answer) {
            answerBytes += part instanceof ByteBuf buffer ? buffer.readableBytes() : 0;
        }
    }

    List<Object> takeAnswer() {
        List<Object> parts = answer;
        answer = List.of();
        return parts;
    }

    void dropAnswer() {
        if (answer != null) {
            Connection.release(takeAnswer());
        }
    }

    @Override
    public boolean respond(AbstractResponse response) {
        if (!answered.compareAndSet(false, true)) {
            MessageEncoder.releaseRegions(response);
            return false;
        }
        onLoop(new Answered(this, response));
        return true;
    }

    @Override
    public boolean respondEmpty() {
        if (!answered.compareAndSet(false, true)) {
            return false;
        }
        onLoop(new Answered(this, null));
        return true;
    }

    @Override
    public void closeConnection(String reason) {
        answered.set(true);
        onLoop(() -> connection.close(reason));
    }

    /** Tells the connection of the answer, null for none. */
    private record Answered(ConnectionCall call, AbstractResponse response) implements Runnable {
        @Override
        public void run() {
            call.connection.answered(call, response);
        }
    }

    private void onLoop(Runnable task) {
        if (connection.host().inLoop()) {
            task.run();
        } else {
            connection.host().eventLoop().execute(task);
        }
    }

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

    @Override
    public RequestHeader header() {
        return header;
    }

    @Override
    public AbstractRequest body() {
        return body;
    }

    @Override
    public String listenerName() {
        return connection.listenerName();
    }

    @Override
    public InetAddress clientAddress() {
        return connection.clientAddress();
    }

    @Override
    public long connectionId() {
        return connection.id();
    }

    @Override
    public int loopIndex() {
        return connection.host().index();
    }

    @Override
    public boolean connectionOpen() {
        return connection.open();
    }

    @Override
    public String toString() {
        return header.toString();
    }
}
