package io.tidemark.broker.explore;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/** Visits the states of a cluster in the order of their distance from the first, each once, until a promise is broken. */
final class Explorer {
    private static final int PROGRESS_EVERY = 1 << 16;

    /**
     * How it ended.
     *
     * @param states that were seen
     * @param depth moves to the last of them
     * @param exhausted whether there are no others within the bounds
     * @param breach what is broken, or null; {@code trace} are the moves that lead there, the shortest there are
     */
    record Outcome(long states, long moves, int depth, boolean exhausted, String breach, List<Integer> trace) {}

    private final Cluster cluster;
    private final LongTable visited = new LongTable();
    /** By state: the state it was reached from, and by which move. */
    private int[] parents = new int[1 << 12];

    private int[] moves = new int[1 << 12];
    private int states;
    private long made;

    Explorer(Cluster cluster) {
        this.cluster = cluster;
    }

    /** @param progress told now and then how many states there are and how deep */
    Outcome run(long most, Consumer<String> progress) {
        ArrayDeque<int[]> frontier = new ArrayDeque<>();
        int[] root = cluster.first();
        add(Draft.fingerprint(root), -1, 0);
        frontier.add(root);
        int current = 0;
        int depth = 0;
        int endOfDepth = 1;
        Successors successors = new Successors();
        while (!frontier.isEmpty() && states < most) {
            if (current == endOfDepth) {
                depth++;
                endOfDepth = states;
            }
            int[] packed = frontier.poll();
            successors.list(packed);
            for (int i = 0; i < successors.count; i++) {
                int move = successors.moves[i];
                Draft draft = Draft.of(packed);
                made++;
                try {
                    if (!cluster.make(draft, move)) {
                        continue;
                    }
                } catch (RuntimeException e) {
                    return new Outcome(states, made, depth + 1, false, words(e), trace(current, move));
                }
                int[] next = draft.pack();
                if (add(Draft.fingerprint(next), current, move)) {
                    frontier.add(next);
                    if (states % PROGRESS_EVERY == 0) {
                        progress.accept(String.format(
                                "%,d states, depth %d, %,d of brokers, %,d of the metadata",
                                states, depth + 1, cluster.brokers.size(), cluster.images.size()));
                    }
                }
            }
            current++;
        }
        return new Outcome(states, made, depth, frontier.isEmpty(), null, List.of());
    }

    private static String words(RuntimeException problem) {
        return problem instanceof Breach ? problem.getMessage() : problem.toString();
    }

    private boolean add(long fingerprint, int parent, int move) {
        if (visited.putIfAbsent(fingerprint, states) != LongTable.ABSENT) {
            return false;
        }
        if (states == parents.length) {
            parents = Arrays.copyOf(parents, states * 2);
            moves = Arrays.copyOf(moves, states * 2);
        }
        parents[states] = parent;
        moves[states++] = move;
        return true;
    }

    private List<Integer> trace(int state, int last) {
        List<Integer> trace = new ArrayList<>(List.of(last));
        for (int at = state; parents[at] >= 0; at = parents[at]) {
            trace.add(moves[at]);
        }
        Collections.reverse(trace);
        return trace;
    }

    /** The moves of one state. */
    private final class Successors {
        int[] moves = new int[256];
        int count;

        void list(int[] packed) {
            count = 0;
            cluster.moves(Draft.of(packed), move -> {
                if (count == moves.length) {
                    moves = Arrays.copyOf(moves, count * 2);
                }
                moves[count++] = move;
            });
        }
    }
}
