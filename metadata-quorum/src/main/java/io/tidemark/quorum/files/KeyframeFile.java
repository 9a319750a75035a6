package io.tidemark.quorum.files;

import io.tidemark.model.codec.SnapshotCodec;
import io.tidemark.model.codec.UnreadableException;
import io.tidemark.model.metadata.ClusterImage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A whole image in a file, by its name {@code snapshot.TERM_INDEX}, with {@code .md5} beside it once it is complete. */
public record KeyframeFile(Path path, long term, long index) {
    public static final String DIGEST_SUFFIX = ".md5";

    private static final Pattern NAME = Pattern.compile("snapshot\\.(\\d{1,18})_(\\d{1,18})");

    /** The name of the image up to that entry. */
    public static String nameOf(long term, long index) {
        return "snapshot." + term + "_" + index;
    }

    /** Empty for a name of another form. */
    public static Optional<KeyframeFile> parse(Path path) {
        Matcher name = NAME.matcher(path.getFileName().toString());
        return name.matches()
                ? Optional.of(new KeyframeFile(path, Long.parseLong(name.group(1)), Long.parseLong(name.group(2))))
                : Optional.empty();
    }

    /** Where the digest of that file is kept. */
    public static Path digestOf(Path path) {
        return path.resolveSibling(path.getFileName() + DIGEST_SUFFIX);
    }

    /** The image, or null if it is gone or cannot be read, which is a finding. */
    public ClusterImage load(Consumer<Finding> findings) {
        try {
            byte[] bytes = Files.readAllBytes(path);
            String problem = digestProblem(bytes);
            if (problem != null) {
                findings.accept(Finding.damage(path, -1, problem));
                return null;
            }
            ClusterImage image = SnapshotCodec.decode(bytes);
            if (image.index() > index) {
                findings.accept(Finding.damage(
                        path, -1, "holds the image at index " + image.index() + ", by its name at " + index));
                return null;
            }
            return image;
        } catch (NoSuchFileException e) {
            // A running node removes old ones.
            return null;
        } catch (UnreadableException | IllegalStateException e) {
            findings.accept(Finding.damage(path, -1, e.getMessage()));
        } catch (IOException e) {
            findings.accept(Finding.damage(path, -1, "cannot be read: " + e));
        }
        return null;
    }

    private String digestProblem(byte[] bytes) throws IOException {
        String stored;
        try {
            stored = Files.readString(digestOf(path), StandardCharsets.US_ASCII);
        } catch (NoSuchFileException e) {
            return null;
        }
        String computed = md5(bytes);
        return stored.strip().startsWith(computed)
                ? null
                : "its bytes have the digest " + computed + ", not that of "
                        + digestOf(path).getFileName();
    }

    /** In the form that digest files have. */
    public static String md5(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has MD5", e);
        }
    }
}
