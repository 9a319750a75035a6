package io.tidemark.quorum.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.codec.RecordCodec;
import io.tidemark.model.codec.SnapshotCodec;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.MetadataRecord.PartitionChanged;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.quorum.files.KeyframeFile;
import io.tidemark.quorum.files.RawEntry;
import io.tidemark.quorum.files.SegmentFile;
import io.tidemark.quorum.files.SegmentReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each kind of damage is told with file and position, and the rest is told as well. */
class DamageTest {
    @TempDir
    private Path folder;

    private FixtureLog log;
    private Path first;
    private Path second;
    private Path open;

    @BeforeEach
    void threeFiles() {
        log = new FixtureLog(folder);
        log.bootstrap();
        log.start(1);
        log.start(2);
        log.committed();
        first = log.roll();
        log.later(1_000).createTopic("orders", List.of(List.of(1, 2)));
        log.later(1_000).fence("process gone", 2);
        log.later(1_000).start(2, "2-2");
        log.committed();
        second = log.roll();
        log.later(1_000).fence("process gone again", 1);
        log.committed();
        open = log.flush();
    }

    @AfterEach
    void close() {
        log.close();
    }

    private Tool verify() {
        return Tool.run("verify", "--dir", folder);
    }

    private List<Long> dumped() {
        Tool tool = Tool.run("dump", "--dir", folder, "--json", "--raft");
        return tool.lines().stream()
                .filter(line -> line.startsWith("{\"index\":"))
                .map(line -> Long.parseLong(line.substring(9, line.indexOf(','))))
                .toList();
    }

    private List<Long> allBut(long from, long to) {
        return LongStream.rangeClosed(0, log.last())
                .filter(index -> index < from || index > to)
                .boxed()
                .toList();
    }

    private static RawEntry entry(Path file, int place) throws IOException {
        try (SegmentReader reader = new SegmentReader(SegmentFile.parse(file).orElseThrow(), finding -> {})) {
            RawEntry entry = reader.next();
            for (int i = 0; i < place; i++) {
                entry = reader.next();
            }
            return entry;
        }
    }

    private static void flip(Path file, long position) throws IOException {
        change(file, position, one -> one.put(0, (byte) (one.get(0) ^ 0x40)));
    }

    private static void change(Path file, long position, Consumer<ByteBuffer> change) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, position);
            one.rewind();
            change.accept(one);
            channel.write(one, position);
        }
    }

    private static void cut(Path file, long size) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(size);
        }
    }

    @Test
    void whatIsWholeIsSound() {
        Tool tool = verify();
        assertThat(tool.err()).isEmpty();
        assertThat(tool.status()).isZero();
        assertThat(tool.out()).contains("index 0 to " + log.last(), "0 void", "sound");
        assertThat(dumped()).isEqualTo(allBut(-1, -1));
    }

    @Test
    void aFlippedByteInAClosedFile() throws IOException {
        RawEntry entry = entry(second, 1);
        flip(second, entry.position() + 30);
        Tool tool = verify();
        assertThat(tool.status()).isEqualTo(1);
        assertThat(tool.err())
                .contains(second + ", byte " + entry.position() + ": the entry's checksum does not hold; entry "
                        + entry.index() + " cannot be read; sound again from byte "
                        + entry(second, 1).position());
        assertThat(tool.out()).contains("1 damage");
        assertThat(dumped()).isEqualTo(allBut(entry.index(), entry.index()));
    }

    @Test
    void aFlippedByteInALength() throws IOException {
        RawEntry entry = entry(second, 2);
        flip(second, entry.position());
        assertThat(verify().err()).contains(second + ", byte " + entry.position() + ": ", "sound again from byte");
        assertThat(dumped()).isEqualTo(allBut(entry.index(), entry.index()));
    }

    @Test
    void aFlippedByteInTheOpenFileIsNoTornTail() throws IOException {
        RawEntry entry = entry(open, 0);
        flip(open, entry.position() + 20);
        Tool tool = verify();
        assertThat(tool.status()).isEqualTo(1);
        assertThat(tool.err()).contains("damage: " + open + ", byte " + entry.position());
        RawEntry last = entry(open, 0);
        assertThat(last.index()).isEqualTo(log.last());
        flip(open, last.position() + 4);
        assertThat(verify().err()).contains("and all behind it cannot be read");
    }

    @Test
    void aTornTailIsUsualAfterACrash() throws IOException {
        RawEntry last = entry(open, 1);
        cut(open, Files.size(open) - 3);
        Tool tool = verify();
        assertThat(tool.err()).contains("note: " + open + ", byte " + last.position() + ": torn tail");
        assertThat(tool.status()).isZero();
        assertThat(dumped()).isEqualTo(allBut(last.index(), last.index()));
    }

    @Test
    void aTornTailInPreallocatedSpace() throws IOException {
        RawEntry last = entry(open, 1);
        cut(open, Files.size(open) - 6);
        Files.write(open, new byte[1 << 20], StandardOpenOption.APPEND);
        Tool tool = verify();
        assertThat(tool.err()).contains("note: " + open + ", byte " + last.position() + ": torn tail");
        assertThat(tool.status()).isZero();
    }

    @Test
    void aCutClosedFile() throws IOException {
        RawEntry entry = entry(second, 2);
        cut(second, entry.position() + 5);
        Tool tool = verify();
        assertThat(tool.status()).isEqualTo(1);
        assertThat(tool.err())
                .contains("damage: " + second + ", byte " + entry.position(), "entry " + entry.index() + " to ");
        assertThat(dumped()).contains(log.last()).doesNotContain(entry.index());
        cut(second, 5);
        assertThat(verify().err()).contains(second + ", byte 0: the file is cut within its header");
    }

    @Test
    void aMissingFile() throws IOException {
        long from = SegmentFile.parse(second).orElseThrow().first();
        long to = SegmentFile.parse(second).orElseThrow().last();
        Files.delete(second);
        Tool tool = verify();
        assertThat(tool.status()).isEqualTo(1);
        assertThat(tool.err()).contains(open + ": entries " + from + " to " + to + " before it are missing");
        assertThat(dumped()).isEqualTo(allBut(from, to));
        assertThat(Tool.run("dump", "--dir", folder).out()).contains("void or not is not known");
        Tool why = Tool.run("show", "--dir", folder);
        assertThat(why.status()).isEqualTo(1);
        assertThat(why.err()).contains("the state is not known there (history begins at index 0");
        for (long at = from; at <= to; at++) {
            Tool there = Tool.run("show", "--dir", folder, "--at", at);
            assertThat(there.status()).isEqualTo(1);
            assertThat(there.err())
                    .contains(open + ": entries " + from + " to " + to + " before it are missing")
                    .contains("the state is not known there");
        }
    }

    /** Nothing before it tells that there was one. */
    @Test
    void theOldestFileIsMissing() throws IOException {
        long to = SegmentFile.parse(first).orElseThrow().last();
        Files.delete(first);
        Tool tool = verify();
        assertThat(tool.status()).isEqualTo(1);
        assertThat(tool.err()).contains("damage: " + second + ": entries 0 to " + to + " before it are missing");
        assertThat(dumped()).isEqualTo(allBut(0, to));
    }

    @Test
    void theOldestFileBehindTheOldestSnapshotIsMissing() throws IOException {
        Path snapshot = log.snapshot();
        long index = KeyframeFile.parse(snapshot).orElseThrow().index();
        log.roll();
        log.later(1_000).unfence(1);
        log.committed();
        Path third = log.roll();
        log.committed();
        Path fourth = log.roll();
        log.committed();
        log.flush();
        // As history is after its limits were applied: it begins with the snapshot.
        for (Path file : List.of(first, second)) {
            Files.delete(file);
        }
        assertThat(verify().status()).isZero();
        assertThat(Tool.run("dump", "--dir", folder).err()).contains("note: what is here begins at index ");
        Files.delete(log.current()
                .resolve("log_" + (SegmentFile.parse(second).orElseThrow().last() + 1) + "-" + index));
        assertThat(verify().err()).isEmpty();
        Files.delete(third);
        Tool tool = verify();
        assertThat(tool.status()).isEqualTo(1);
        assertThat(tool.err())
                .contains("damage: " + fourth + ": entries " + (index + 1) + " to "
                        + SegmentFile.parse(third).orElseThrow().last() + " before it are missing");
    }

    @Test
    void epochsThatGoBackBehindAGapThatASnapshotBridges() throws IOException {
        ClusterImage early = log.image();
        log.later(1_000).unfence(1);
        log.later(1_000).alterIsr("orders", 0, List.of(1, 2), "caught up");
        log.committed();
        log.roll();
        log.later(1_000).fence("away", 2);
        log.committed();
        Path away = log.roll();
        log.committed();
        log.flush();
        assertThat(verify().status()).isZero();
        Files.delete(away);
        long index = SegmentFile.parse(away).orElseThrow().last();
        byte[] bytes = SnapshotCodec.encode(early);
        Path snapshot = Files.write(
                Files.createDirectories(folder.resolve("history")).resolve(KeyframeFile.nameOf(1, index)), bytes);
        Files.writeString(KeyframeFile.digestOf(snapshot), KeyframeFile.md5(bytes));
        Tool tool = verify();
        assertThat(tool.status()).isEqualTo(1);
        assertThat(tool.err()).contains("breaks I6: the epochs of orders-0 go from LE");
    }

    @Test
    void behindASnapshotTheStateIsKnownAgain() throws IOException {
        Files.delete(first);
        long index = SegmentFile.parse(second).orElseThrow().last();
        log.snapshot();
        Path snapshot = folder.resolve("history").resolve("snapshot.1_" + log.last());
        // The same image under the index that ends the second file holds the state before the last fence.
        assertThat(snapshot).exists();
        assertThat(Tool.run("show", "--dir", folder).out()).contains("state at index " + log.last());
        assertThat(Tool.run("show", "--dir", folder, "--at", index).err())
                .contains("history begins at index " + log.last());
    }

    @Test
    void foreignAndUnfinishedFiles() throws IOException {
        Path foreign = Files.writeString(log.current().resolve("notes.txt"), "x");
        Path notLog = Files.writeString(log.current().resolve("log_7"), "x");
        Path unfinished = Files.writeString(
                Files.createDirectories(folder.resolve("history")).resolve("snapshot.1_3"), "half");
        Tool tool = verify();
        assertThat(tool.status()).isEqualTo(1);
        assertThat(tool.err())
                .contains(
                        "damage: " + foreign + ": a foreign file",
                        "damage: " + notLog + ": a foreign file",
                        "note: " + unfinished + ": a snapshot without its digest is not finished");
        assertThat(dumped()).isEqualTo(allBut(-1, -1));
    }

    @Test
    void somethingElseUnderTheNameOfALogFile() throws IOException {
        Files.writeString(second, "this is somebody's letter and no log");
        Tool tool = verify();
        assertThat(tool.status()).isEqualTo(1);
        assertThat(tool.err()).contains(second + ", byte 0: this is not the header of a log file");
        assertThat(dumped()).contains(0L, log.last());
    }

    @Test
    void aDamagedSnapshotAndOneThatDoesNotFit() throws IOException {
        Path snapshot = log.snapshot();
        assertThat(verify().status()).isZero();
        log.later(1_000).unfence(1);
        log.flush();
        Path later = log.snapshot();
        byte[] earlier = Files.readAllBytes(snapshot);
        Files.write(later, earlier);
        Files.writeString(KeyframeFile.digestOf(later), KeyframeFile.md5(earlier));
        flip(snapshot, Files.size(snapshot) / 2);
        Tool tool = verify();
        assertThat(tool.status()).isEqualTo(1);
        assertThat(tool.err())
                .contains(snapshot + ": its bytes have the digest ")
                .contains("the snapshot at index " + log.last() + " has the digest");
        // The log is whole, so what was there can be told without them.
        Files.delete(later);
        assertThat(Tool.run("show", "--dir", folder, "--at", log.last()).out())
                .contains(String.format("%016x", log.image().digest()));
    }

    @Test
    void anEntryThatIsNone() throws IOException {
        long index = log.appendBytes("garbage".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        log.flush();
        RawEntry last = entry(open, 2);
        Tool tool = verify();
        assertThat(tool.status()).isEqualTo(1);
        assertThat(tool.err())
                .contains(
                        open + ", byte " + last.position() + ": entry " + index + ": a metadata log entry is damaged");
    }

    @Test
    void anEntryThatBreaksAnInvariant() {
        long index = broken(List.of(change(1, List.of(2))), log.image().tip());
        Tool tool = verify();
        assertThat(tool.status()).isEqualTo(1);
        assertThat(tool.err())
                .contains("entry " + index + " breaks what always holds: a leader is in its own ISR (I11)");
        assertThat(broken(List.of(change(null, List.of(1, 2))), 0)).isPositive();
    }

    @Test
    void aLeaderThatChangesWithoutAnEpoch() {
        // A second creation of the partition is the one way to say so in records.
        var state = log.image().topic("orders").partition(0);
        broken(
                List.of(new MetadataRecord.PartitionCreated(io.tidemark.model.metadata.PartitionState.created(
                        state.id(), List.of(1, 2), List.of(1, 2), 2))),
                log.image().tip());
        Tool tool = verify();
        assertThat(tool.status()).isEqualTo(1);
        assertThat(tool.err()).contains("breaks I6: the epochs of orders-0 go from LE 1");
    }

    @Test
    void aVoidEntryIsShownAsOneAndIsNoDamage() {
        long index = broken(List.of(), 0);
        Tool tool = verify();
        assertThat(tool.status()).isZero();
        assertThat(tool.out()).contains("1 void");
        assertThat(tool.err()).contains("entry " + index + " is void: based on 0, met ");
        assertThat(Tool.run("dump", "--dir", folder, "--from", index).out()).contains("VOID");
    }

    @Test
    void aTermThatGoesBack() {
        log.nextTerm();
        log.nextTerm();
        log.committed();
        log.roll();
        FixtureLog.ofTerm(log, 1).committed();
        log.flush();
        Tool tool = verify();
        assertThat(tool.status()).isEqualTo(1);
        assertThat(tool.err()).contains("its term is 1, that of the entry before is 3");
    }

    @Test
    void controllersThatContradictEachOther(@TempDir Path other) {
        try (FixtureLog copy = new FixtureLog(other)) {
            copy.bootstrap();
            copy.start(1);
            copy.start(3);
            copy.committed();
            copy.flush();
            Tool tool = Tool.run("verify", "--dir", folder, "--dir", other);
            assertThat(tool.status()).isEqualTo(1);
            assertThat(tool.err()).contains("entry 4 is not the same in " + folder + " and in " + other);
            Tool diff = Tool.run("diff", folder, other);
            assertThat(diff.status()).isEqualTo(1);
            assertThat(diff.out())
                    .contains("from index 4 on their entries differ although both know it to be committed")
                    .contains("- broker 2: ", "+ broker 3: ");
        }
    }

    /** It agrees with either of them, as far as it goes. */
    @Test
    void aShortLogThatComesFirstHidesNoContradiction(@TempDir Path other, @TempDir Path shorter) {
        try (FixtureLog copy = new FixtureLog(other);
                FixtureLog shortest = new FixtureLog(shorter)) {
            copy.bootstrap();
            copy.start(1);
            copy.start(3);
            copy.committed();
            copy.flush();
            shortest.bootstrap();
            shortest.committed();
            shortest.flush();
            assertThat(Tool.run("verify", "--dir", shorter, "--dir", other).status())
                    .isZero();
            Tool tool = Tool.run("verify", "--dir", shorter, "--dir", folder, "--dir", other);
            assertThat(tool.status()).isEqualTo(1);
            assertThat(tool.err()).contains("entry 4 is not the same in " + folder + " and in " + other);
            assertThat(tool.out()).doesNotContain("agree");
        }
    }

    @Test
    void whatCannotBeComparedIsSaid(@TempDir Path other) throws IOException {
        try (FixtureLog copy = new FixtureLog(other)) {
            copy.bootstrap();
            copy.committed();
            copy.flush();
            // Its history begins behind the end of the other's.
            log.snapshot();
            Files.delete(first);
            Files.delete(second);
            Tool tool = Tool.run("verify", "--dir", folder, "--dir", other);
            assertThat(tool.status()).isZero();
            assertThat(tool.err())
                    .contains("the states cannot be compared: that at index", "is not known in " + folder);
            assertThat(tool.out()).doesNotContain("agree");
        }
    }

    /** Appends an entry that no controller would decide. */
    private long broken(List<MetadataRecord> records, long basedOn) {
        long index = log.appendBytes(RecordCodec.encode(new MetadataEntry(
                basedOn,
                FixtureLog.NOON + 3_600_000,
                new MetadataEntry.Cause("Test", -1, -1, "", ""),
                records,
                new QuorumReply.Done())));
        log.flush();
        return index;
    }

    private PartitionChanged change(Integer leader, List<Integer> isr) {
        return new PartitionChanged(
                log.image().topic("orders").partition(0).id(),
                leader,
                isr,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null);
    }
}
