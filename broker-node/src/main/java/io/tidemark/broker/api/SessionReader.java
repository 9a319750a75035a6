package io.tidemark.broker.api;

import io.tidemark.broker.replica.FetchSession;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.broker.runtime.Watcher;
import io.tidemark.model.PartitionId;
import java.util.ArrayList;
import java.util.List;

/** A fetch session on its loop: watches its partitions for it and wakes the fetch that waits, if one does. */
final class SessionReader implements Watcher {
    private final PartitionLoop home;
    private final Partitions partitions;
    private final FetchSession session;
    private final long token;
    /** The fetch being answered; a client that sends a second one before has given the first one up. */
    private FetchCall current;

    SessionReader(PartitionLoop home, Partitions partitions, FetchSession session) {
        this.home = home;
        this.partitions = partitions;
        this.session = session;
        this.token = home.watch(this);
    }

    PartitionLoop home() {
        return home;
    }

    FetchSession session() {
        return session;
    }

    void update(List<FetchSession.Row> rows, List<PartitionId> forgotten) {
        List<FetchSession.Partition> dropped = new ArrayList<>();
        session.update(rows, forgotten, dropped);
        dropped.forEach(partition -> unwatch(partition.id));
    }

    /** The name under which this reader watches. */
    long token() {
        return token;
    }

    private void unwatch(PartitionId id) {
        PartitionLoop loop = partitions.loopOf(id);
        loop.execute(() -> {
            PartitionHost host = loop.host(id);
            if (host != null) {
                host.unwatch(token);
                if (session.isFollower()) {
                    host.sessionLeft(session.clock());
                }
            }
        });
    }

    void start(FetchCall call, long nowMs) {
        if (current != null) {
            current.giveUp();
        }
        current = call;
        call.start(nowMs);
    }

    void finished(FetchCall call) {
        if (current == call) {
            current = null;
        }
    }

    /** Whether a fetch waits for something to happen. */
    boolean waits() {
        return current != null;
    }

    /** Ends the wait of a fetch whose connection is closed. */
    void giveUpIfAlone() {
        if (current != null && !current.wanted()) {
            current.giveUp();
        }
    }

    @Override
    public void changed(PartitionId partition, boolean data) {
        session.changed(partition);
        if (current != null) {
            current.changed(data);
        }
    }

    void close() {
        home.unwatch(token);
        session.partitions().forEach(partition -> unwatch(partition.id));
        if (current != null) {
            current.giveUp();
        }
    }
}
