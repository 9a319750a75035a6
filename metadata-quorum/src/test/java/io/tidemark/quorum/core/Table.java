package io.tidemark.quorum.core;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Rows of a text resource; lines that are empty or begin with '#' are for the reader. */
final class Table {
    private Table() {}

    static List<String> rows(String resource) {
        try (InputStream in = Table.class.getResourceAsStream(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Trimmed fields between the separators, which are given as a regular expression. */
    static String[] fields(String row, String separator) {
        return Arrays.stream(row.split(separator, -1)).map(String::strip).toArray(String[]::new);
    }

    /** "1,2" as numbers; "" and "-" as none. */
    static List<Integer> ids(String text) {
        return text.isEmpty() || text.equals("-")
                ? List.of()
                : Arrays.stream(text.split(",")).map(Integer::valueOf).toList();
    }
}
