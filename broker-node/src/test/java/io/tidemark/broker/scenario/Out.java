package io.tidemark.broker.scenario;

import java.util.ArrayList;
import java.util.List;

/** What a scenario has to say: lines in the order of what happens. */
final class Out {
    private List<String> lines = new ArrayList<>();

    void say(String format, Object... arguments) {
        lines.add(arguments.length == 0 ? format : String.format(format, arguments));
    }

    /** What was said since the last time. */
    List<String> take() {
        List<String> taken = lines;
        lines = new ArrayList<>();
        return taken;
    }

    /** What {@code action} says, kept back. */
    List<String> during(Step action) {
        List<String> before = lines;
        lines = new ArrayList<>();
        try {
            action.run();
            return lines;
        } finally {
            lines = before;
        }
    }

    void sayAll(List<String> kept) {
        lines.addAll(kept);
    }

    /** Something that may say something. */
    interface Step {
        void run();
    }
}
