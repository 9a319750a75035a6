package io.tidemark.broker.health;

import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.model.health.Page;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.PartitionState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * {@code /problems}: what this broker knows to be wrong with what it hosts, a line each that begins with the partition's name
 * and a colon; none on one that is well. A partition that is out of service answers nobody, and the controllers do not know.
 */
public final class ProblemsPage implements Page {
    private final int brokerId;
    private final Supplier<ClusterImage> image;
    private final Partitions partitions;

    public ProblemsPage(int brokerId, Supplier<ClusterImage> image, Partitions partitions) {
        this.brokerId = brokerId;
        this.image = image;
        this.partitions = partitions;
    }

    @Override
    public Answer answer(Map<String, String> query) {
        List<String> lines = new ArrayList<>();
        ClusterImage known = image.get();
        OnLoops.ask(partitions.loops(), loop -> ofLoop(loop, known), WarningsPage.PATIENCE_MS)
                .forEach(lines::addAll);
        return Answer.text(200, lines.isEmpty() ? "" : String.join("\n", lines) + "\n");
    }

    private List<String> ofLoop(PartitionLoop loop, ClusterImage known) {
        List<String> found = new ArrayList<>();
        for (PartitionHost host : loop.hosts()) {
            if (host.outOfService() != null) {
                PartitionState state = known.partition(host.id());
                boolean led = state != null && state.leader() == brokerId;
                found.add(host.name() + ": out of service until this broker is restarted"
                        + (led ? ", and it is the leader: nobody is served" : "") + ": "
                        // A line each, whatever the cause says.
                        + host.outOfService().replaceAll("\\R", " "));
            }
        }
        return found;
    }
}
