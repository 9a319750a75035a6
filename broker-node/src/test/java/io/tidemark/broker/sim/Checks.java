package io.tidemark.broker.sim;

import io.tidemark.broker.log.DataDirectory;
import io.tidemark.broker.log.OpenedLog;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.QuorumPort;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.TopicState;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** All that is promised, looked at whenever something has happened; the first breach is kept. */
final class Checks implements Controllers.Observer {
    private final Simulation sim;
    private final MetadataChecks metadata = new MetadataChecks();
    private final ReplicaChecks replicas;
    private final Map<PartitionId, PartitionHistory> histories = new TreeMap<>();
    private final Map<PartitionHost, ReplicaChecks.Before> before = new HashMap<>();
    private ClusterImage newest = ClusterImage.EMPTY;
    private RuntimeException breach;

    Checks(Simulation sim) {
        this.sim = sim;
        this.replicas = new ReplicaChecks(sim, this);
    }

    /** Null as long as everything holds. */
    RuntimeException breach() {
        return breach;
    }

    void breached(RuntimeException what) {
        if (breach == null) {
            breach = what;
            sim.trace().note("BREACH", String.valueOf(what.getMessage()));
        }
    }

    /** What has been exposed of that partition. */
    PartitionHistory history(PartitionId id) {
        return histories.computeIfAbsent(id, PartitionHistory::new);
    }

    Map<PartitionId, PartitionHistory> histories() {
        return histories;
    }

    int uncleanElections() {
        return metadata.uncleanElections();
    }

    ClusterImage newest() {
        return newest;
    }

    QuorumPort watched(Process process, QuorumPort port) {
        return new OneOutstanding(process, port, this);
    }

    /** What the index says of records that are lost would be believed once there are others with their offsets. */
    void recovered(Machine machine, DataDirectory.FoundLog log, OpenedLog opened) {
        long end = opened.log().logEndOffset();
        machine.index()
                .newestSnapshot(log.id(), Long.MAX_VALUE)
                .filter(snapshot -> snapshot.offset() > end)
                .ifPresent(snapshot -> breached(new Violation(
                        "index",
                        "broker " + machine.id() + " " + log.name() + " ends at " + end
                                + ", its index has a snapshot of " + snapshot.offset())));
    }

    void beforeTurn(PartitionLoop loop) {
        before.clear();
        for (PartitionHost host : loop.hosts()) {
            before.put(host, ReplicaChecks.Before.of(host));
        }
    }

    void afterTurn(Process process, PartitionLoop loop) {
        if (breach != null) {
            return;
        }
        try {
            for (PartitionHost host : loop.hosts()) {
                replicas.after(process, host, before.remove(host));
            }
            // What is left are those that went away in this turn.
            before.forEach((host, then) -> replicas.lastExposed(process, host, then));
        } catch (RuntimeException e) {
            breached(e);
        }
    }

    @Override
    public void applied(
            int controller,
            ClusterImage imageBefore,
            ClusterImage after,
            long index,
            MetadataEntry entry,
            boolean effective) {
        try {
            boolean first = metadata.applied(controller, imageBefore, after, index, entry, effective);
            if (first) {
                newest = after;
                sim.trace()
                        .note(
                                "entry",
                                index,
                                entry.cause().kind(),
                                entry.cause().reason(),
                                effective);
                topics(imageBefore, after);
                metadata.changed(imageBefore, after).forEach(id -> committed(after.partition(id)));
            }
        } catch (RuntimeException e) {
            breached(e);
        }
    }

    private void topics(ClusterImage imageBefore, ClusterImage after) {
        for (TopicState topic : imageBefore.topics().values()) {
            if (after.topic(topic.id()) == null) {
                sim.trace().note("topic deleted", topic.name());
                topic.partitions().forEach(state -> history(state.id()).delete());
            }
        }
        for (TopicState topic : after.topics().values()) {
            if (imageBefore.topic(topic.id()) == null) {
                sim.topicCreated(topic);
            }
        }
    }

    /** An error in the log of some broker: only a bad disk, or what the disk did to a file, may lead to one. */
    void errorLogged(String message, Throwable cause) {
        if (cause instanceof IOException) {
            return;
        }
        StringWriter trace = new StringWriter();
        if (cause != null) {
            cause.printStackTrace(new PrintWriter(trace));
        }
        breached(new Violation("error logged", message + System.lineSeparator() + trace));
    }

    private void committed(PartitionState state) {
        if (state == null) {
            return;
        }
        sim.trace().note("partition", state.id().partition(), state.toString());
        history(state.id()).committed(state, sim.queue().now());
        replicas.seats(state);
    }
}
