package io.tidemark.broker.sim;

import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A second topic that comes and goes, and comes again under the same name: as another incarnation, with an id of its own. */
final class TopicChanges {
    private static final String NAME = "u";
    private static final int REPLICAS = 3;

    private final Simulation sim;
    private final Chance chance;
    private final QuorumClient quorum;

    TopicChanges(Simulation sim, Chance chance, QuorumClient quorum) {
        this.sim = sim;
        this.chance = chance;
        this.quorum = quorum;
    }

    /** Creates the topic if it is not there, else deletes it; half of the times it is created again soon, or at once. */
    void change() {
        TopicState there = sim.controllers().newest().topic(NAME);
        if (there == null) {
            create();
            return;
        }
        QuorumCommand.TopicRef which = chance.oneIn(2)
                ? new QuorumCommand.TopicRef(NAME, TopicId.ZERO)
                : new QuorumCommand.TopicRef("", there.id());
        quorum.submit(new QuorumCommand.DeleteTopics(List.of(which), "operator"))
                .whenComplete((answer, failure) -> {
                    if (chance.oneIn(2)) {
                        sim.queue().after(chance.oneIn(2) ? 0 : chance.delay(1_000, 600_000), this::create);
                    }
                });
    }

    private void create() {
        if (sim.operator().healing()) {
            return;
        }
        int partitions = chance.between(1, 2);
        List<List<Integer>> assignment = chance.oneIn(2) ? List.of() : assignment(partitions);
        boolean placed = assignment.isEmpty();
        quorum.submit(new QuorumCommand.CreateTopics(
                List.of(new QuorumCommand.NewTopic(
                        NAME,
                        placed ? partitions : -1,
                        placed ? REPLICAS : -1,
                        assignment,
                        Map.of(
                                ClusterImage.MIN_ISR_KEY,
                                String.valueOf(sim.profile().minIsr())))),
                false,
                "operator"));
    }

    private List<List<Integer>> assignment(int partitions) {
        List<List<Integer>> assignment = new ArrayList<>();
        for (int i = 0; i < partitions; i++) {
            List<Integer> brokers = new ArrayList<>();
            for (int id = 1; id <= sim.profile().brokers(); id++) {
                brokers.add(chance.between(0, brokers.size()), id);
            }
            assignment.add(List.copyOf(brokers.subList(0, REPLICAS)));
        }
        return assignment;
    }
}
