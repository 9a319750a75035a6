package io.tidemark.quorum.files;

import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of the log, by its name: {@code log_FIRST-LAST} once it is closed, {@code log_inprogress_FIRST} before.
 *
 * @param last index of its last entry, {@link #OPEN} while it is written to
 */
public record SegmentFile(Path path, long first, long last) implements Comparable<SegmentFile> {
    public static final long OPEN = Long.MAX_VALUE;

    private static final Pattern CLOSED_NAME = Pattern.compile("log_(\\d{1,18})-(\\d{1,18})");
    private static final Pattern OPEN_NAME = Pattern.compile("log_inprogress_(\\d{1,18})");

    /** Empty for a name of another form. */
    public static Optional<SegmentFile> parse(Path path) {
        String name = path.getFileName().toString();
        Matcher closed = CLOSED_NAME.matcher(name);
        if (closed.matches()) {
            long first = Long.parseLong(closed.group(1));
            long last = Long.parseLong(closed.group(2));
            return first <= last ? Optional.of(new SegmentFile(path, first, last)) : Optional.empty();
        }
        Matcher open = OPEN_NAME.matcher(name);
        return open.matches()
                ? Optional.of(new SegmentFile(path, Long.parseLong(open.group(1)), OPEN))
                : Optional.empty();
    }

    public boolean isOpen() {
        return last == OPEN;
    }

    /** By first index; of two that begin at the same the longer one first. */
    @Override
    public int compareTo(SegmentFile other) {
        int byFirst = Long.compare(first, other.first);
        return byFirst != 0 ? byFirst : Long.compare(other.last, last);
    }
}
