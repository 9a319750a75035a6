package io.tidemark.broker.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What happened: the last events for people, all of them as one number for comparison. */
final class Trace {
    private static final int KEPT = 4_000;

    private record Line(long micros, String what, Object[] details) {
        @Override
        public String toString() {
            StringBuilder text = new StringBuilder(String.format("%12.6f  %s", micros / 1e6, what));
            for (Object detail : details) {
                text.append(' ').append(detail);
            }
            return text.toString();
        }
    }

    private final EventQueue queue;
    private final Line[] lines = new Line[KEPT];
    private long count;
    private long digest;

    Trace(EventQueue queue) {
        this.queue = queue;
    }

    /** Details are immutable, and their hashes depend on their values only. */
    void note(String what, Object... details) {
        lines[(int) (count++ % KEPT)] = new Line(queue.now(), what, details);
        digest = digest * 1_000_003 + queue.now() * 31 + what.hashCode() * 17L + Arrays.hashCode(details);
    }

    long digest() {
        return digest;
    }

    /** The last {@code wanted} events, oldest first. */
    List<String> last(int wanted) {
        List<String> texts = new ArrayList<>();
        for (long i = Math.max(0, count - Math.min(wanted, KEPT)); i < count; i++) {
            texts.add(lines[(int) (i % KEPT)].toString());
        }
        return texts;
    }
}
