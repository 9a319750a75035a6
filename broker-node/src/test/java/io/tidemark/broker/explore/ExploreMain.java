package io.tidemark.broker.explore;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Explores within bounds; see scripts/sim.sh. */
public final class ExploreMain {
    private static final long WORD_EVERY_NS = TimeUnit.SECONDS.toNanos(5);

    private ExploreMain() {}

    public static void main(String[] arguments) {
        long states = 2_000_000;
        List<String> words = new ArrayList<>();
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i].equals("--states")) {
                states = Long.parseLong(arguments[++i]);
            } else if (arguments[i].equals("--bounds")) {
                words.add(arguments[++i]);
            } else {
                throw new IllegalArgumentException("unknown option " + arguments[i]);
            }
        }
        System.exit(run(Bounds.of(String.join(" ", words)), states) ? 0 : 1);
    }

    private static boolean run(Bounds bounds, long states) {
        System.out.println("bounds: " + bounds);
        long start = System.nanoTime();
        long[] lastWord = {start};
        Cluster cluster = new Cluster(bounds);
        Explorer.Outcome outcome = new Explorer(cluster).run(states, progress -> {
            if (System.nanoTime() - lastWord[0] > WORD_EVERY_NS) {
                lastWord[0] = System.nanoTime();
                System.err.println(progress);
            }
        });
        double seconds = (System.nanoTime() - start) / 1e9;
        if (outcome.breach() != null) {
            System.out.println();
            System.out.println(Story.of(cluster, bounds, outcome));
        }
        System.out.printf(
                "%,d states in %.1f s (%,.0f a second), %,d moves, depth %d, %s; %,d states of brokers by %,d steps, %,d of"
                        + " the metadata%n",
                outcome.states(),
                seconds,
                outcome.states() / seconds,
                outcome.moves(),
                outcome.depth(),
                outcome.breach() != null ? "BROKEN" : outcome.exhausted() ? "EXHAUSTED" : "not exhausted",
                cluster.brokers.size(),
                cluster.brokers.steps(),
                cluster.images.size());
        if (outcome.breach() != null) {
            System.out.println("broken after " + outcome.trace().size() + " moves: " + outcome.breach());
        }
        return outcome.breach() == null;
    }
}
