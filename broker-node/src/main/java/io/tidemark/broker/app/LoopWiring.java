package io.tidemark.broker.app;

import io.tidemark.broker.net.LoopHost;
import io.tidemark.broker.net.NetServer;
import io.tidemark.broker.peer.FollowerFetchers;
import io.tidemark.broker.peer.PeerConnection;
import io.tidemark.broker.peer.PeerSettings;
import io.tidemark.broker.replica.ReplicaSettings;
import io.tidemark.broker.runtime.MonoClock;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.broker.runtime.TopicSettings;
import io.tidemark.model.metadata.ClusterImage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Makes the partition loops of a broker, with the logs that were recovered, and joins each to a loop of the network. */
final class LoopWiring {
    private LoopWiring() {}

    /** So many loops, with a host for each of the logs. */
    static Partitions make(
            int count,
            PartitionLoop.Ports ports,
            List<Storage.Recovered> logs,
            TopicSettings topicDefaults,
            ReplicaSettings replicaSettings) {
        List<PartitionLoop> loops = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            loops.add(new PartitionLoop(i, count, MonoClock.SYSTEM, ports));
        }
        Partitions all = new Partitions(loops);
        for (Storage.Recovered log : logs) {
            PartitionHost.recovered(
                    log.found().id(),
                    log.found().name(),
                    all.loopOf(log.found().id()),
                    topicDefaults,
                    replicaSettings,
                    log.opened());
        }
        return all;
    }

    /** From here on the loops are turned, each by the network's loop of its index, on which its fetchers live too. */
    static void join(
            Partitions partitions,
            NetServer server,
            Supplier<ClusterImage> image,
            FollowerFetchers.Settings fetch,
            PeerSettings peer) {
        for (PartitionLoop loop : partitions.loops()) {
            LoopHost host = server.loops().get(loop.index());
            loop.wire(
                    partitions,
                    new FollowerFetchers(loop, endpoint -> PeerConnection.open(host, endpoint, peer), image, fetch));
            loop.waker(host);
            host.host(loop);
        }
    }
}
