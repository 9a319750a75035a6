package io.tidemark.broker.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The frame of Kafka's checkpoint files: a line {@code 0}, a line with the count, and so many lines of fields. */
final class CheckpointText {
    private CheckpointText() {}

    /** The file is not of the format (R9.21). */
    static final class Malformed extends IOException {
        private static final long serialVersionUID = 1L;

        Malformed(Path path, String what) {
            super(path + ": " + what);
        }
    }

    /** The fields of each line; an empty file has none. */
    static List<String[]> parse(Path path, byte[] content, int fields) throws Malformed {
        List<String> lines = new String(content, StandardCharsets.UTF_8).lines().toList();
        List<String[]> parsed = new ArrayList<>();
        if (lines.isEmpty()) {
            return parsed;
        }
        if (!lines.get(0).strip().equals("0")) {
            throw new Malformed(path, "unknown version " + lines.get(0));
        }
        if (lines.size() < 2 || !lines.get(1).strip().equals(Integer.toString(lines.size() - 2))) {
            throw new Malformed(path, "the count does not match the " + (lines.size() - 2) + " lines");
        }
        for (String line : lines.subList(2, lines.size())) {
            String[] split = line.strip().split("\\s+");
            if (split.length != fields) {
                throw new Malformed(path, "malformed line: " + line);
            }
            parsed.add(split);
        }
        return parsed;
    }
}
