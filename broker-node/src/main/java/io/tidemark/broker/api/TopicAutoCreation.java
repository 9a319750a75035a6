package io.tidemark.broker.api;

import io.tidemark.broker.runtime.QuorumPort;
import io.tidemark.model.config.AutoTopicCreation;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates topics that clients ask for before they exist ({@code auto.create.topics.enable}). One request per topic is
 * under way at a time, however many clients ask; thread-safe.
 */
final class TopicAutoCreation {
    private static final Logger LOG = LoggerFactory.getLogger(TopicAutoCreation.class);
    /** Names that may be under creation at once: bounds what a client asking for random names puts on the quorum. */
    private static final int MAX_IN_FLIGHT = 1000;

    private final QuorumPort quorum;
    private final AutoTopicCreation config;
    private final Set<String> inFlight = ConcurrentHashMap.newKeySet();

    TopicAutoCreation(QuorumPort quorum, AutoTopicCreation config) {
        this.quorum = quorum;
        this.config = config;
    }

    /** Starts what is not under way yet; the names are legal. The outcome shows in the cluster's image. */
    void create(List<String> names, String client) {
        if (!config.enabled()) {
            return;
        }
        List<QuorumCommand.NewTopic> topics = new ArrayList<>();
        for (String name : names) {
            if (inFlight.size() < MAX_IN_FLIGHT && inFlight.add(name)) {
                topics.add(new QuorumCommand.NewTopic(
                        name, config.partitions(), config.replicationFactor(), List.of(), Map.of()));
            }
        }
        if (topics.isEmpty()) {
            return;
        }
        quorum.submit(new QuorumCommand.CreateTopics(topics, false, client)).whenComplete((answer, failure) -> {
            topics.forEach(topic -> inFlight.remove(topic.name()));
            if (failure != null) {
                LOG.warn("automatic creation of {} has no outcome: {}", some(topics), failure.toString());
            } else if (answer.reply() instanceof QuorumReply.Topics results) {
                results.results().forEach(TopicAutoCreation::report);
            } else {
                LOG.warn("automatic creation of {} was refused: {}", some(topics), answer.reply());
            }
        });
    }

    /** Clients choose how many names there are, and they must not choose how long the log is. */
    private static String some(List<QuorumCommand.NewTopic> topics) {
        String first = topics.get(0).name();
        return topics.size() == 1 ? first : first + " and " + (topics.size() - 1) + " more topics";
    }

    private static void report(QuorumReply.Topics.Result result) {
        if (result.error() != ErrorCode.NONE && result.error() != ErrorCode.TOPIC_ALREADY_EXISTS) {
            LOG.warn("topic {} was not created: {} {}", result.name(), result.error(), result.message());
        }
    }
}
