package io.tidemark.broker.health;

import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.model.PartitionId;
import io.tidemark.model.health.Page;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.TopicState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * {@code /why?topic=T&partition=N[&format=json]}: why that partition stands as it does, as this broker knows it (B11). The
 * header {@link #ROLE} says in a word what the partition is here: leader, follower, idle, opening, failed, none, unknown.
 */
public final class WhyPage implements Page {
    public static final String PATH = "/why";
    public static final String ROLE = "Tidemark-Role";

    private static final long PATIENCE_MS = 5_000;

    private final int brokerId;
    private final Supplier<ClusterImage> image;
    private final Partitions partitions;

    public WhyPage(int brokerId, Supplier<ClusterImage> image, Partitions partitions) {
        this.brokerId = brokerId;
        this.image = image;
        this.partitions = partitions;
    }

    @Override
    public Answer answer(Map<String, String> query) {
        String topic = query.getOrDefault("topic", "");
        int partition = number(query.get("partition"));
        if (topic.isEmpty() || partition < 0) {
            return Answer.text(400, "usage: " + PATH + "?topic=TOPIC&partition=NUMBER[&format=json]\n");
        }
        boolean json = "json".equals(query.get("format"));
        TopicState known = image.get().topic(topic);
        PartitionState state = known == null ? null : known.partition(partition);
        String name = topic + "-" + partition;
        if (state == null) {
            return (json
                            ? Answer.json(404, ExplanationJson.unknown(topic, partition, brokerId))
                            : Answer.text(
                                    404, name + " on broker " + brokerId + ": its metadata has no such partition\n"))
                    .with(ROLE, "unknown");
        }
        Standing standing = standing(state.id());
        if (standing == null) {
            return (json
                            ? Answer.json(200, ExplanationJson.notHosted(topic, partition, brokerId, state))
                            : Answer.text(
                                    200,
                                    name + " on broker " + brokerId + ": no replica here; "
                                            + ExplanationText.metadata(state) + "\n"))
                    .with(ROLE, "none");
        }
        return (json
                        ? Answer.json(200, ExplanationJson.of(topic, partition, brokerId, standing))
                        : Answer.text(200, ExplanationText.of(name, brokerId, standing)))
                .with(ROLE, standing.role());
    }

    /** Null if the partition has no replica here. */
    private Standing standing(PartitionId id) {
        List<PartitionLoop> home = List.of(partitions.loopOf(id));
        return OnLoops.ask(
                        home,
                        loop -> {
                            PartitionHost host = loop.host(id);
                            return Optional.ofNullable(host).map(found -> Standing.of(found, loop.now()));
                        },
                        PATIENCE_MS)
                .get(0)
                .orElse(null);
    }

    private static int number(String text) {
        try {
            return text == null ? -1 : Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
