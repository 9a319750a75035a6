package io.tidemark.broker.sim;

import io.tidemark.broker.log.LogName;
import io.tidemark.broker.runtime.FetchedFrom;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.TopicState;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What is still on brokers of partitions that were deleted or moved away: files, lines in checkpoints, entries of the index, memory. */
final class Leftovers {
    private static final String METADATA_FILE = "partition.metadata";
    private static final List<String> CHECKPOINTS =
            List.of("replication-offset-checkpoint", "recovery-point-offset-checkpoint", "log-start-offset-checkpoint");
    /** Timers of a loop that have nothing to do with its partitions, and of one partition. */
    private static final int TIMERS = 200;

    private static final int TIMERS_EACH = 50;
    /** Sessions that were given up stay for a while. */
    private static final int READERS = 150;

    private final Simulation sim;

    Leftovers(Simulation sim) {
        this.sim = sim;
    }

    /** The first that is found, in words; null if there is nothing. All brokers are there. */
    String found() {
        for (int id = 1; id <= sim.profile().brokers(); id++) {
            String found = found(sim.machine(id));
            if (found != null) {
                return "left on broker " + id + ": " + found;
            }
        }
        return null;
    }

    private String found(Machine machine) {
        Set<PartitionId> ids = new HashSet<>();
        Set<String> names = new HashSet<>();
        for (TopicState topic : sim.topics()) {
            for (PartitionState state : topic.partitions()) {
                if (state.replicas().contains(machine.id())) {
                    ids.add(state.id());
                    names.add(new LogName(topic.name(), state.id().partition()).toString());
                }
            }
        }
        for (PartitionLoop loop : machine.process().loops()) {
            String found = found(loop, ids);
            if (found != null) {
                return found;
            }
        }
        return found(machine, ids, names);
    }

    private static String found(PartitionLoop loop, Set<PartitionId> ids) {
        Set<Integer> leaders = new HashSet<>();
        for (PartitionHost host : loop.hosts()) {
            if (!ids.contains(host.id())) {
                return "partition " + host.name();
            }
            leaders.add(host.state().leader());
        }
        if (!loop.leaving().isEmpty()) {
            return "the log of " + loop.leaving().get(0).name();
        }
        for (FetchedFrom from : loop.fetchedFrom()) {
            if (!leaders.contains(from.leader())) {
                return "fetches from broker " + from.leader();
            }
        }
        if (loop.timers() > TIMERS + TIMERS_EACH * loop.hosts().size()) {
            return loop.timers() + " timers";
        }
        return loop.watchers() > READERS ? loop.watchers() + " readers" : null;
    }

    private static String found(Machine machine, Set<PartitionId> ids, Set<String> names) {
        for (String name : machine.names(Path.of(""))) {
            // A directory that does not say whose it is may hold what somebody misses: it is left alone.
            boolean identified = machine.file(Path.of(name, METADATA_FILE)) != null;
            if (identified && !names.contains(name)) {
                return "directory " + name;
            }
        }
        for (PartitionId indexed : machine.index().logs()) {
            if (!ids.contains(indexed)) {
                return "index entries of " + indexed;
            }
        }
        for (String checkpoint : CHECKPOINTS) {
            String line = stale(machine.file(Path.of(checkpoint)), names);
            if (line != null) {
                return "the line " + line + " in " + checkpoint;
            }
        }
        return null;
    }

    private static String stale(ByteBuffer file, Set<String> names) {
        if (file == null) {
            return null;
        }
        List<String> lines =
                StandardCharsets.UTF_8.decode(file).toString().lines().toList();
        for (String line : lines.subList(Math.min(2, lines.size()), lines.size())) {
            String[] fields = line.split(" ");
            if (!names.contains(fields[0] + "-" + fields[1])) {
                return line;
            }
        }
        return null;
    }
}
