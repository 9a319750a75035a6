package io.tidemark.quorum.inspect;

import io.tidemark.model.MonoTime;
import io.tidemark.model.WallTime;
import io.tidemark.model.codec.RecordCodec;
import io.tidemark.model.codec.SnapshotCodec;
import io.tidemark.model.config.Uuids;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;
import io.tidemark.model.metadata.QuorumCommand.IsrMember;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal;
import io.tidemark.quorum.core.Controller;
import io.tidemark.quorum.core.ControllerSettings;
import io.tidemark.quorum.core.DecideContext;
import io.tidemark.quorum.core.Decision;
import io.tidemark.quorum.files.KeyframeFile;
import io.tidemark.quorum.files.NodeFiles;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.MetadataProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.CodedOutputStream;

/**
 * A controller's directory, written entry by entry as Ratis does: what the real rules decide, at times that a test names.
 * It is tested against files of a real quorum that the tool reads both alike.
 */
final class FixtureLog implements AutoCloseable {
    static final int CONTROLLER = 101;
    static final String CLUSTER = "fixture";
    /** 2026-11-30T12:00:00Z. */
    static final long NOON = 1_796_040_000_000L;

    private final Path directory;
    private final Path current;
    private final Map<Integer, Long> epochs = new HashMap<>();
    private ClusterImage image = ClusterImage.EMPTY;
    private long term = 1;
    private long next;
    private long segmentFirst;
    private long nowMs = NOON;
    private long random = 1;
    private OutputStream segment;

    FixtureLog(Path directory) {
        this.directory = directory;
        this.current = directory
                .resolve(NodeFiles.QUORUM)
                .resolve(Uuids.quorumGroup(CLUSTER).toString())
                .resolve("current");
        try {
            Files.createDirectories(current);
            open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        configuration();
    }

    Path directory() {
        return directory;
    }

    Path current() {
        return current;
    }

    ClusterImage image() {
        return image;
    }

    long last() {
        return next - 1;
    }

    FixtureLog at(long ms) {
        nowMs = ms;
        return this;
    }

    FixtureLog later(long ms) {
        nowMs += ms;
        return this;
    }

    // --- entries

    /** Decides and appends; the index of the entry. */
    long run(QuorumCommand command) {
        DecideContext context = new DecideContext(
                new WallTime(nowMs),
                new MonoTime(0),
                random++,
                id -> false,
                id -> false,
                partition -> false,
                new ControllerSettings(CLUSTER, 1, 1));
        Decision decision = Controller.decide(image, command, context);
        return append(new MetadataEntry(
                image.tip(), nowMs, decision.cause().by(CONTROLLER), decision.records(), decision.reply()));
    }

    /** Appends as it is, void or not. */
    long append(MetadataEntry entry) {
        image = image.apply(next, entry);
        return write(LogEntryProto.newBuilder()
                .setStateMachineLogEntry(StateMachineLogEntryProto.newBuilder()
                        .setLogData(ByteString.copyFrom(RecordCodec.encode(entry)))));
    }

    /** Bytes that need not be an entry of ours, as one. */
    long appendBytes(byte[] bytes) {
        return write(LogEntryProto.newBuilder()
                .setStateMachineLogEntry(
                        StateMachineLogEntryProto.newBuilder().setLogData(ByteString.copyFrom(bytes))));
    }

    /** A leader begins: its first entry is Ratis' own. */
    void nextTerm() {
        term++;
        configuration();
    }

    /** What follows is of that term, whatever came before. */
    static FixtureLog ofTerm(FixtureLog log, long term) {
        log.term = term;
        return log;
    }

    private void configuration() {
        write(LogEntryProto.newBuilder().setConfigurationEntry(RaftConfigurationProto.getDefaultInstance()));
    }

    /** Ratis notes that all so far is committed. */
    FixtureLog committed() {
        write(LogEntryProto.newBuilder()
                .setMetadataEntry(MetadataProto.newBuilder().setCommitIndex(next - 1)));
        return this;
    }

    private long write(LogEntryProto.Builder builder) {
        byte[] entry = builder.setTerm(term).setIndex(next).build().toByteArray();
        ByteBuffer bytes =
                ByteBuffer.allocate(CodedOutputStream.computeUInt32SizeNoTag(entry.length) + entry.length + 4);
        try {
            CodedOutputStream out = CodedOutputStream.newInstance(bytes.array());
            out.writeUInt32NoTag(entry.length);
            out.writeRawBytes(entry);
            CRC32C checksum = new CRC32C();
            checksum.update(bytes.array(), 0, bytes.capacity() - 4);
            bytes.putInt(bytes.capacity() - 4, (int) checksum.getValue());
            segment.write(bytes.array());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return next++;
    }

    // --- files

    private void open() throws IOException {
        segmentFirst = next;
        segment = new BufferedOutputStream(Files.newOutputStream(openFile()), 1 << 16);
        segment.write("RaftLog1".getBytes(StandardCharsets.US_ASCII));
    }

    private Path openFile() {
        return current.resolve("log_inprogress_" + segmentFirst);
    }

    /** Closes the file that is written to and begins another; the closed one. */
    Path roll() {
        try {
            segment.close();
            Path closed = current.resolve("log_" + segmentFirst + "-" + (next - 1));
            Files.move(openFile(), closed);
            open();
            return closed;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What was appended is in the files; the one that is written to. */
    Path flush() {
        try {
            segment.flush();
            return openFile();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes a snapshot of now into the history. */
    Path snapshot() {
        try {
            Path history = Files.createDirectories(directory.resolve(NodeFiles.HISTORY));
            Path file = history.resolve("snapshot." + term + "_" + (next - 1));
            byte[] bytes = SnapshotCodec.encode(image);
            Files.write(file, bytes);
            Files.writeString(KeyframeFile.digestOf(file), KeyframeFile.md5(bytes) + " *" + file.getFileName() + "\n");
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            segment.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // --- a cluster's life

    void bootstrap() {
        run(new QuorumCommand.Bootstrap(1, Map.of("min.insync.replicas", "2")));
    }

    /** A broker registers and is unfenced. */
    void start(int id) {
        start(id, id + "-1");
    }

    void start(int id, String incarnation) {
        long epoch = run(new QuorumCommand.RegisterBroker(
                CLUSTER,
                id,
                incarnation,
                List.of("directory-" + id),
                List.of(new Endpoint("PLAINTEXT", "127.0.0.1", 9000 + id)),
                "",
                -1,
                "boot",
                true,
                1,
                1,
                List.of()));
        epochs.put(id, epoch);
        unfence(id);
    }

    void unfence(int id) {
        run(new QuorumCommand.UnfenceBroker(ref(id)));
    }

    void fence(String reason, int id) {
        run(new QuorumCommand.FenceBrokers(List.of(ref(id)), reason));
    }

    void createTopic(String name, List<List<Integer>> assignment) {
        run(new QuorumCommand.CreateTopics(
                List.of(new QuorumCommand.NewTopic(name, -1, -1, assignment, Map.of())), false, "admin"));
    }

    void alterIsr(String topic, int partition, List<Integer> isr, String reason) {
        PartitionState state = image.topic(topic).partition(partition);
        List<IsrMember> members =
                isr.stream().map(id -> new IsrMember(id, epochs.get(id))).toList();
        run(new QuorumCommand.AlterPartition(
                state.leader(),
                epochs.get(state.leader()),
                List.of(new IsrProposal(
                        state.id(),
                        state.leaderEpoch(),
                        state.partitionEpoch(),
                        members,
                        false,
                        IsrProposal.Kind.CHANGE,
                        state.floor(),
                        reason))));
    }

    BrokerRef ref(int id) {
        return new BrokerRef(id, epochs.get(id));
    }
}
