package io.tidemark.broker.peer;

import io.tidemark.broker.runtime.FetchedFrom;
import io.tidemark.broker.runtime.Fetchers;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.model.MonoTime;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.Endpoint;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The following partitions of one loop, by the broker they fetch from: one connection and one session each. */
public final class FollowerFetchers implements Fetchers {
    /**
     * What a fetcher needs to know of its broker.
     *
     * @param brokerEpoch of the registration; fetches carry it (B15)
     * @param maxWaitMs longest wait at the leader; {@code minBytes} ends it
     * @param partitionMaxBytes and {@code responseMaxBytes}: limits of an answer, of which one batch may be larger
     */
    public record Settings(
            int brokerId,
            LongSupplier brokerEpoch,
            String listener,
            int maxWaitMs,
            int minBytes,
            int partitionMaxBytes,
            int responseMaxBytes) {}

    private final PartitionLoop loop;
    private final Function<Endpoint, PeerLink> links;
    private final Supplier<ClusterImage> image;
    private final Settings settings;
    private final Map<Integer, LeaderFetch> leaders = new HashMap<>();
    private final Map<PartitionHost, LeaderFetch> following = new HashMap<>();

    /** @param links opens a way to a broker; a failure to connect shows in the requests sent */
    public FollowerFetchers(
            PartitionLoop loop, Function<Endpoint, PeerLink> links, Supplier<ClusterImage> image, Settings settings) {
        this.loop = loop;
        this.links = links;
        this.image = image;
        this.settings = settings;
    }

    @Override
    public void start(PartitionHost partition, int leader, int leaderEpoch) {
        stop(partition);
        LeaderFetch fetch =
                leaders.computeIfAbsent(leader, id -> new LeaderFetch(id, loop, links, this::endpointOf, settings));
        following.put(partition, fetch);
        fetch.add(partition);
    }

    /** Null while the leader's address is not known; asked again before each connection (O24). */
    private Endpoint endpointOf(int leader) {
        BrokerState broker = image.get().broker(leader);
        return broker == null ? null : broker.endpoint(settings.listener());
    }

    @Override
    public void stop(PartitionHost partition) {
        LeaderFetch fetch = following.remove(partition);
        if (fetch != null && fetch.remove(partition)) {
            leaders.remove(fetch.leader());
        }
    }

    @Override
    public void askLeaderOffsets(PartitionHost partition, int leaderEpoch) {
        LeaderFetch fetch = following.get(partition);
        if (fetch != null) {
            fetch.askOffsets(partition, leaderEpoch);
        }
    }

    @Override
    public void positionMoved(PartitionHost partition) {
        LeaderFetch fetch = following.get(partition);
        if (fetch != null) {
            fetch.moved(partition);
        }
    }

    @Override
    public void endOfTurn(MonoTime now) {
        for (LeaderFetch fetch : leaders.values()) {
            fetch.sendIfDue(now.ms());
        }
    }

    @Override
    public List<FetchedFrom> fetchedFrom() {
        return leaders.values().stream().map(LeaderFetch::fetched).toList();
    }

    @Override
    public long nextDeadlineMs() {
        // Pauses are timers of the loop.
        return Long.MAX_VALUE;
    }
}
