package io.tidemark.broker.app;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumQuery.Recovery;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How far this broker's data has been told the metadata, and in which history. Controllers that were made anew from an
 * image have lost what came after it: a broker that was told more may hold partitions and records that the new history
 * does not know, and would delete or cut them. So it is kept out until its operator decides.
 *
 * <p>The file is as exact as it is written often; a crash of the machine may lose it, and then nothing is known.
 */
final class KnownMetadata {
    private static final String FILE = "metadata.known";
    private static final String FORGOTTEN = "the controllers began anew and know nothing of what was decided before, so"
            + " this broker's data, which they know nothing of, would be deleted. Nothing was. Stop them, and see"
            + " docs/QUORUM.md on how to bring the metadata back, and on what to do with ";
    private static final Pattern FORM =
            Pattern.compile("recovery=(\\S*) index=(-?\\d{1,18})(?: history=(\\p{XDigit}{16}))?\\s*");
    private static final Pattern RECOVERY = Pattern.compile("([^@,]+)(?:@(-?\\d{1,18}))?");

    private final Path directory;
    private Recovery followed;
    /** The highest that is known, -1 if none is. */
    private long index;

    /** {@link ClusterImage#historyId}; 0 if unknown. */
    private long historyId;

    private KnownMetadata(Path directory, Recovery followed, long index, long historyId) {
        this.directory = directory;
        this.followed = followed;
        this.index = index;
        this.historyId = historyId;
    }

    static KnownMetadata read(Path directory) throws IOException {
        try {
            String text = Files.readString(directory.resolve(FILE), StandardCharsets.UTF_8);
            Matcher form = FORM.matcher(text);
            if (form.matches()) {
                return new KnownMetadata(
                        directory,
                        parsed(form.group(1)),
                        Long.parseLong(form.group(2)),
                        form.group(3) == null ? 0 : Long.parseUnsignedLong(form.group(3), 16));
            }
        } catch (NoSuchFileException e) {
            // A new broker.
        }
        return new KnownMetadata(directory, Recovery.NONE, -1, 0);
    }

    /** ID@INDEX,... oldest first; of the last one, an older version kept just the id, and nothing of those before. */
    private static Recovery parsed(String text) {
        List<Recovery.Past> all = new ArrayList<>();
        Matcher one = RECOVERY.matcher(text);
        while (one.find()) {
            all.add(new Recovery.Past(one.group(1), one.group(2) == null ? -1 : Long.parseLong(one.group(2))));
        }
        if (all.isEmpty()) {
            return Recovery.NONE;
        }
        Recovery.Past last = all.remove(all.size() - 1);
        return new Recovery(last.id(), last.index(), all);
    }

    /**
     * What the quorum says of itself. Null if the data belongs to its history; else why not.
     *
     * @param followedIndex last entry that this process has followed, -1 before the first
     */
    synchronized String problemWith(Recovery told, long followedIndex) throws IOException {
        index = Math.max(index, followedIndex);
        long shared = followed.sharedWith(told);
        if (index > shared) {
            return "this broker was told the metadata up to index " + index
                    + (shared < 0
                            ? ", and these controllers have another history: what they decided may have nothing to do"
                                    + " with it, and "
                            : ", and the controllers were made anew from an image of index " + shared
                                    + ": what was decided after that is lost to them, and ")
                    + "this broker's data may hold more than they know of. See docs/QUORUM.md on what to do with "
                    + directory;
        }
        if (!told.equals(followed)) {
            followed = told;
            write(true);
        }
        return null;
    }

    /**
     * Null if an image of that history may be followed. Controllers that began with nothing under the old cluster id have
     * another one, also once their log is longer than what this data was told of the old one.
     *
     * @param told of the image, 0 if it does not say
     */
    synchronized String problemWithHistory(long told) throws IOException {
        if (told == historyId) {
            return null;
        }
        if (historyId == 0) {
            historyId = told;
            write(true);
            return null;
        }
        return String.format(
                "this broker was told the metadata of history %016x, and these controllers have history %016x: %s%s",
                historyId, told, FORGOTTEN, directory);
    }

    /** It was told so far. {@code durable} is for what must survive a crash of the machine. */
    synchronized void reached(long toldIndex, boolean durable) throws IOException {
        if (toldIndex > index) {
            index = toldIndex;
            write(durable);
        }
    }

    private void write(boolean durable) throws IOException {
        Path temporary = directory.resolve(FILE + ".tmp");
        String recoveries =
                followed.all().stream().map(one -> one.id() + "@" + one.index()).collect(Collectors.joining(","));
        Files.writeString(
                temporary,
                "recovery=" + recoveries + " index=" + index
                        + (historyId == 0 ? "" : String.format(" history=%016x", historyId))
                        + "\n",
                StandardCharsets.UTF_8);
        if (durable) {
            Storage.sync(temporary);
        }
        Files.move(
                temporary,
                directory.resolve(FILE),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }
}
