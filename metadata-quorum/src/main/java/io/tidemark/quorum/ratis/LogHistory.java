package io.tidemark.quorum.ratis;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumQuery.IndexedEntry;
import io.tidemark.model.metadata.QuorumQuery.PollAnswer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.raftlog.RaftLog;

/** Applied entries out of the Ratis log, or the image for readers whose position is purged or very far back. */
final class LogHistory implements RecordFeed.History {
    /** Beyond this many log positions an image costs a reader less than the entries. */
    static final long MAX_DISTANCE = 10_000;

    private final Supplier<RaftLog> log;
    private final Supplier<AppliedState> applied;
    private final IntSupplier leaderId;

    LogHistory(Supplier<RaftLog> log, Supplier<AppliedState> applied, IntSupplier leaderId) {
        this.log = log;
        this.applied = applied;
        this.leaderId = leaderId;
    }

    @Override
    public PollAnswer read(long nextIndex, int maxBytes) {
        AppliedState state = applied.get();
        long last = state.image().index();
        if (last - nextIndex > MAX_DISTANCE) {
            return whole(state.image());
        }
        try {
            List<IndexedEntry> entries = new ArrayList<>();
            long size = 0;
            RaftLog source = log.get();
            for (long index = nextIndex; index <= last; index++) {
                LogEntryProto entry = index < source.getStartIndex() ? null : source.get(index);
                if (entry == null) {
                    return whole(state.image());
                }
                if (entry.hasStateMachineLogEntry()) {
                    byte[] bytes = entry.getStateMachineLogEntry().getLogData().toByteArray();
                    size += bytes.length;
                    if (!entries.isEmpty() && size > maxBytes) {
                        break;
                    }
                    entries.add(new IndexedEntry(index, bytes));
                }
            }
            long next = entries.isEmpty()
                    ? Math.max(nextIndex, last + 1)
                    : entries.get(entries.size() - 1).index() + 1;
            return new PollAnswer(null, entries, next, leaderId.getAsInt());
        } catch (IOException e) {
            // Damaged or just purged: the image serves the reader as well.
            return whole(state.image());
        }
    }

    private PollAnswer whole(ClusterImage image) {
        return new PollAnswer(image, List.of(), image.index() + 1, leaderId.getAsInt());
    }
}
