package io.tidemark.broker.runtime;

import java.util.ArrayList;
import java.util.List;

/** Who hears of one partition's high watermark, each in one leader epoch. The loop's; listeners may add and remove. */
final class MarkListeners {
    private record Marked(int leaderEpoch, MarkListener listener) {}

    private final List<Marked> all = new ArrayList<>();

    void add(int leaderEpoch, MarkListener listener) {
        all.add(new Marked(leaderEpoch, listener));
    }

    /** It hears nothing more, not even that it is retired. */
    void remove(MarkListener listener) {
        all.removeIf(marked -> marked.listener() == listener);
    }

    void tell(long highWatermark) {
        if (all.isEmpty()) {
            return;
        }
        for (Marked marked : List.copyOf(all)) {
            marked.listener().reached(highWatermark);
        }
    }

    /** Retires those of any other leader epoch than this. */
    void retireAllBut(int leaderEpoch) {
        if (all.isEmpty()) {
            return;
        }
        for (Marked marked : List.copyOf(all)) {
            if (marked.leaderEpoch() != leaderEpoch) {
                all.remove(marked);
                marked.listener().retired();
            }
        }
    }
}
