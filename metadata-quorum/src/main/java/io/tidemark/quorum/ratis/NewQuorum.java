package io.tidemark.quorum.ratis;

import io.tidemark.model.codec.SnapshotCodec;
import io.tidemark.model.codec.UnreadableException;
import io.tidemark.model.config.DirectoryException;
import io.tidemark.model.config.DirectoryIdentity;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.config.Uuids;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumQuery.Recovery;
import io.tidemark.quorum.files.KeyframeFile;
import io.tidemark.quorum.files.RecoveryFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;

/**
 * Makes the controllers of a quorum anew from an image, after a majority of them was lost: in each directory the image as
 * a snapshot at its own term and index, with the files that Ratis has beside one. So entries, and the epochs of brokers,
 * which are indices, go on above it.
 *
 * <p>What the lost controllers decided after the image is gone. So that nobody takes the new history for the old one:
 * terms go on far above all that the old one can have reached, hence no entry of a lost controller that turns up again
 * looks like one of the new; and each directory remembers the recovery, which brokers are told.
 */
public final class NewQuorum {
    /** More elections than any quorum has between an image and its end. */
    static final long TERMS_APART = 1_000_000;

    /**
     * An image to begin with.
     *
     * @param index of the last entry in it, also of Ratis' own
     */
    public record Beginning(long term, long index, byte[] bytes, Recovery recovery) {
        /**
         * Reads what {@code metadata-log.sh export} wrote: the name says the term and the index.
         *
         * @param id of the recovery, the same for all controllers
         * @throws IOException if the file is not complete, damaged, or named otherwise
         */
        public static Beginning read(Path file, String id) throws IOException {
            KeyframeFile keyframe = KeyframeFile.parse(file)
                    .orElseThrow(() -> new IOException(file + " is not named snapshot.TERM_INDEX, as metadata-log.sh"
                            + " export DIRECTORY names it: the name says where the log goes on"));
            byte[] bytes = Files.readAllBytes(file);
            Path digest = KeyframeFile.digestOf(file);
            if (!Files.exists(digest)) {
                throw new IOException(digest + " is missing, which is written with the image");
            }
            if (!Files.readString(digest, StandardCharsets.US_ASCII).strip().startsWith(KeyframeFile.md5(bytes))) {
                throw new IOException(file + " is damaged: its bytes do not have the digest of " + digest);
            }
            try {
                ClusterImage image = SnapshotCodec.decode(bytes);
                if (image.index() > keyframe.index() || image.level() == 0) {
                    throw new IOException(file + " holds the state at index " + image.index() + ", by its name that at "
                            + keyframe.index());
                }
            } catch (UnreadableException e) {
                throw new IOException(file + " cannot be read: " + e.getMessage(), e);
            }
            return new Beginning(
                    keyframe.term(), keyframe.index(), bytes, new Recovery(id, keyframe.index(), before(keyframe)));
        }

        /** The recoveries that the image's own history has gone through. */
        private static List<Recovery.Past> before(KeyframeFile image) throws IOException {
            Path file = RecoveryFile.beside(image.path());
            Recovery last = RecoveryFile.read(file);
            if (last.equals(Recovery.NONE) && image.term() > TERMS_APART) {
                throw new IOException(file + " is missing, which is written with the image: by its term the controllers"
                        + " were made anew before, and brokers may know what was lost then");
            }
            return last.all();
        }
    }

    private NewQuorum() {}

    /**
     * Marks the formatted directory of a controller that has never run, so that it does not start before {@link #write}
     * is done. To be called for all of a quorum before the first is filled: one that was forgotten would find an empty
     * quorum.
     *
     * @throws DirectoryException if a controller has run there, or it is not formatted for this node and cluster
     */
    public static void prepare(Path directory, int nodeId, String clusterId) throws IOException {
        DirectoryIdentity identity = DirectoryIdentity.read(directory)
                .orElseThrow(() -> new DirectoryException(directory + " is not formatted"));
        if (identity.nodeId() != nodeId || !identity.clusterId().equals(clusterId)) {
            throw new DirectoryException(directory + " belongs to node " + identity.nodeId() + " of cluster "
                    + identity.clusterId() + ", not to node " + nodeId + " of cluster " + clusterId);
        }
        if (QuorumStorage.started(directory)) {
            throw new DirectoryException(directory + " holds the log of a controller: move it away first");
        }
        QuorumStorage.awaitImage(directory);
    }

    /**
     * Fills such a directory; can be repeated, with another image, too, until the controller runs.
     *
     * @param voters all controllers of the new quorum, this one among them
     * @throws DirectoryException as {@link #prepare}
     */
    public static void write(Path directory, int nodeId, String clusterId, List<QuorumVoter> voters, Beginning from)
            throws IOException {
        prepare(directory, nodeId, clusterId);
        Path group = QuorumStorage.root(directory)
                .resolve(Uuids.quorumGroup(clusterId).toString());
        Path snapshots = Files.createDirectories(group.resolve("sm"));
        Path current = Files.createDirectories(group.resolve("current"));
        // What an earlier try left: of two snapshots the higher one would count.
        empty(snapshots);
        empty(current);
        String name = KeyframeFile.nameOf(from.term(), from.index());
        write(snapshots.resolve(name), from.bytes());
        write(
                KeyframeFile.digestOf(snapshots.resolve(name)),
                (KeyframeFile.md5(from.bytes()) + " *" + name + "\n").getBytes(StandardCharsets.US_ASCII));
        write(current.resolve("raft-meta.conf"), members(voters, from).toByteArray());
        RecoveryFile.write(RecoveryFile.in(directory), from.recovery());
        // The last of them: without it Ratis does not take the folder for one of its own.
        write(
                current.resolve("raft-meta"),
                ("term=" + (from.term() + TERMS_APART) + "\nvotedFor=\n").getBytes(StandardCharsets.ISO_8859_1));
        for (Path folder : List.of(snapshots, current, group, group.getParent(), directory)) {
            QuorumStorage.sync(folder);
        }
        QuorumStorage.filled(directory);
    }

    private static void empty(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
    }

    private static LogEntryProto members(List<QuorumVoter> voters, Beginning from) {
        RaftConfigurationProto.Builder members = RaftConfigurationProto.newBuilder();
        voters.forEach(voter -> members.addPeers(RatisProperties.peer(voter).getRaftPeerProto()));
        return LogEntryProto.newBuilder()
                .setTerm(from.term())
                .setIndex(from.index())
                .setConfigurationEntry(members)
                .build();
    }

    private static void write(Path file, byte[] bytes) throws IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            out.write(bytes);
        }
        QuorumStorage.syncFile(file);
    }
}
