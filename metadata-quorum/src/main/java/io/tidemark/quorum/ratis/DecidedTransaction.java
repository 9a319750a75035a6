package io.tidemark.quorum.ratis;

import java.io.IOException;
import java.util.function.LongConsumer;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;

/**
 * A client's transaction whose log entry holds what was decided instead of what was asked. Ratis appends the entry of
 * this one but goes on with the original, which therefore gets its term and index too.
 */
final class DecidedTransaction implements TransactionContext {
    private final TransactionContext original;
    private final StateMachineLogEntryProto decided;
    private final LongConsumer onIndex;
    private LogEntryProto logEntry;

    /** {@code onIndex} is told the entry's index, under the log's lock, before the next decision. */
    DecidedTransaction(TransactionContext original, byte[] entry, LongConsumer onIndex) {
        this.original = original;
        this.onIndex = onIndex;
        ByteString data = UnsafeByteOperations.unsafeWrap(entry);
        this.decided =
                original.getStateMachineLogEntry().toBuilder().setLogData(data).build();
    }

    @Override
    public LogEntryProto initLogEntry(long term, long index) {
        original.initLogEntry(term, index);
        logEntry = LogEntryProto.newBuilder()
                .setTerm(term)
                .setIndex(index)
                .setStateMachineLogEntry(decided)
                .build();
        onIndex.accept(index);
        return logEntry;
    }

    @Override
    public LogEntryProto getLogEntry() {
        return logEntry;
    }

    @Override
    public StateMachineLogEntryProto getStateMachineLogEntry() {
        return decided;
    }

    @Override
    public RaftPeerRole getServerRole() {
        return original.getServerRole();
    }

    @Override
    public RaftClientRequest getClientRequest() {
        return original.getClientRequest();
    }

    @Override
    public TransactionContext setException(Exception exception) {
        original.setException(exception);
        return this;
    }

    @Override
    public Exception getException() {
        return original.getException();
    }

    @Override
    public TransactionContext setStateMachineContext(Object context) {
        original.setStateMachineContext(context);
        return this;
    }

    @Override
    public Object getStateMachineContext() {
        return original.getStateMachineContext();
    }

    @Override
    public TransactionContext setShouldCommit(boolean shouldCommit) {
        original.setShouldCommit(shouldCommit);
        return this;
    }

    @Override
    public boolean shouldCommit() {
        return original.shouldCommit();
    }

    @Override
    public TransactionContext preAppendTransaction() {
        return this;
    }

    @Override
    public TransactionContext cancelTransaction() throws IOException {
        return original.cancelTransaction();
    }
}
