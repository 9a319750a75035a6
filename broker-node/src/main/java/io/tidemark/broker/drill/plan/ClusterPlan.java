package io.tidemark.broker.drill.plan;

import java.util.List;
import java.util.Map;

/**
 * What a drill runs on.
 *
 * @param brokers their ids are 1, 2, ...
 * @param controllers their ids are 101, 102, ...
 * @param settings properties by role: all, broker, controller
 * @param diskMb size of a broker's own small disk in MiB, by node id
 */
public record ClusterPlan(
        int brokers,
        int controllers,
        Map<String, Map<String, String>> settings,
        Map<Integer, Integer> diskMb,
        List<TopicPlan> topics) {
    public static final int FIRST_CONTROLLER = 101;

    public ClusterPlan {
        settings = Map.copyOf(settings);
        diskMb = Map.copyOf(diskMb);
        topics = List.copyOf(topics);
    }

    /**
     * A topic that the drill makes.
     *
     * @param assignment replicas of each partition, the preferred leader first
     */
    public record TopicPlan(String name, List<List<Integer>> assignment, Map<String, String> configs) {
        public TopicPlan {
            assignment = List.copyOf(assignment);
            configs = Map.copyOf(configs);
        }
    }
}
