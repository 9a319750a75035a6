package io.tidemark.broker.app;

import io.tidemark.model.metadata.QuorumQuery.Recovery;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How far this broker's data has been told the metadata, and in which history. Controllers that were made anew from an
 * image have lost what came after it: a broker that was told more may hold partitions and records that the new history
 * does not know, and would delete or cut them. So it is kept out until its operator decides.
 *
 * <p>The file is as exact as it is written often; a crash of the machine may lose it, and then nothing is known.
 */
final class KnownMetadata {
    private static final String FILE = "metadata.known";
    private static final Pattern FORM = Pattern.compile("recovery=(\\S*) index=(-?\\d{1,18})\\s*");

    private final Path directory;
    private Recovery followed;
    private long index;

    private KnownMetadata(Path directory, Recovery followed, long index) {
        this.directory = directory;
        this.followed = followed;
        this.index = index;
    }

    static KnownMetadata read(Path directory) throws IOException {
        try {
            String text = Files.readString(directory.resolve(FILE), StandardCharsets.UTF_8);
            Matcher form = FORM.matcher(text);
            if (form.matches()) {
                return new KnownMetadata(directory, new Recovery(form.group(1), -1), Long.parseLong(form.group(2)));
            }
        } catch (NoSuchFileException e) {
            // A new broker.
        }
        return new KnownMetadata(directory, Recovery.NONE, -1);
    }

    /** The highest index that is known, -1 if none is. */
    synchronized long index() {
        return index;
    }

    /**
     * What the quorum says of itself. Null if the data belongs to its history; else why not.
     *
     * @param followedIndex last entry that this process has followed, -1 before the first
     */
    synchronized String problemWith(Recovery told, long followedIndex) throws IOException {
        index = Math.max(index, followedIndex);
        if (told.id().equals(followed.id())) {
            return null;
        }
        if (index > told.index()) {
            return "this broker was told the metadata up to index " + index
                    + ", and the controllers were made anew from an image of index " + told.index()
                    + ": what was decided after that is lost to them, and this broker's data may hold more than they know"
                    + " of. See docs/QUORUM.md on what to do with " + directory;
        }
        followed = told;
        write(true);
        return null;
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
        Files.writeString(temporary, "recovery=" + followed.id() + " index=" + index + "\n", StandardCharsets.UTF_8);
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
