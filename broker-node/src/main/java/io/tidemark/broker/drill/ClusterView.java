package io.tidemark.broker.drill;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;

/** Looks at one partition with Kafka's own admin client. */
public final class ClusterView implements AutoCloseable {
    private static final int REQUEST_TIMEOUT_MS = 2_000;
    private static final int ANSWER_S = 10 * REQUEST_TIMEOUT_MS / 1_000;

    private final Admin admin;
    private final TopicPartition partition;

    /** @param bootstrap host:port,host:port */
    public ClusterView(String bootstrap, TopicPartition partition) {
        this.partition = partition;
        this.admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                AdminClientConfig.CLIENT_ID_CONFIG,
                "quickstart-view",
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG,
                REQUEST_TIMEOUT_MS,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                5 * REQUEST_TIMEOUT_MS));
    }

    /** The partition now; throws DrillException if no broker tells. */
    public PartitionView look() {
        TopicPartitionInfo info = describe();
        // The leader's epoch is only told by the leader.
        boolean led = info.leader() != null && !info.leader().isEmpty();
        return PartitionView.of(info, led ? epoch() : OptionalInt.empty());
    }

    /**
     * Looks until {@code wanted}, at most {@code seconds}.
     *
     * @param what names the state in the DrillException thrown when it does not come
     */
    public PartitionView await(String what, int seconds, Predicate<PartitionView> wanted) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        String last = "nothing was seen";
        while (System.nanoTime() < deadline) {
            try {
                PartitionView view = PartitionView.of(describe(), OptionalInt.empty());
                if (wanted.test(view)) {
                    return view;
                }
                last = view.toString();
            } catch (DrillException e) {
                // A broker that dies under the question; another one is asked next.
                last = e.getMessage();
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
        throw new DrillException(what + " did not come in " + seconds + " s; last: " + last);
    }

    @Override
    public void close() {
        admin.close();
    }

    private TopicPartitionInfo describe() {
        return get(admin.describeTopics(List.of(partition.topic()))
                        .topicNameValues()
                        .get(partition.topic()))
                .partitions()
                .get(partition.partition());
    }

    private OptionalInt epoch() {
        try {
            return get(admin.listOffsets(Map.of(partition, OffsetSpec.latest())).partitionResult(partition))
                    .leaderEpoch()
                    .map(OptionalInt::of)
                    .orElse(OptionalInt.empty());
        } catch (DrillException e) {
            return OptionalInt.empty();
        }
    }

    private static <T> T get(KafkaFuture<T> future) {
        return Answers.within(ANSWER_S, future);
    }
}
