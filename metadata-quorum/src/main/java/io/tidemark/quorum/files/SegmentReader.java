package io.tidemark.quorum.files;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.thirdparty.com.google.protobuf.CodedInputStream;
import org.apache.ratis.thirdparty.com.google.protobuf.InvalidProtocolBufferException;

/**
 * The entries of one log file in order. The format is Ratis' own, whose reader stops at the first damage and cannot say
 * where it is; this one reports it and goes on at the next entry whose checksum holds.
 *
 * <pre>
 * "RaftLog1"  ( varint length, LogEntryProto, CRC32C of both, 4 bytes big-endian )*  0x00*
 * </pre>
 *
 * What is at the end of a file that is still written to and is not a whole entry is a torn tail: a crash leaves it.
 */
public final class SegmentReader implements Closeable {
    /** Larger lengths are not lengths: twice what the log takes. */
    private static final int MAX_ENTRY_BYTES = 16 * 1024 * 1024;

    private static final byte[] HEADER = "RaftLog1".getBytes(StandardCharsets.US_ASCII);
    private static final int CHECKSUM_BYTES = 4;

    /** How far an index may be ahead of the last one to be taken for one while looking for a sound entry. */
    private static final long PLAUSIBLE_STEP = 10_000_000;

    private static final int TERM_TAG = 1 << 3;
    private static final int INDEX_TAG = 2 << 3;

    private final SegmentFile segment;
    private final Consumer<Finding> findings;
    private final FileWindow window;
    private final CRC32C checksum = new CRC32C();
    private long position;
    private long lastIndex;
    private boolean ended;

    public SegmentReader(SegmentFile segment, Consumer<Finding> findings) throws IOException {
        this.segment = segment;
        this.findings = findings;
        this.window = new FileWindow(segment.path());
        this.lastIndex = segment.first() - 1;
        readHeader();
    }

    private void readHeader() throws IOException {
        int at = window.locate(0, HEADER.length);
        position = HEADER.length;
        if (at < 0) {
            ended = true;
            findings.accept(
                    segment.isOpen()
                            ? Finding.note(segment.path(), 0, "nothing is written yet")
                            : Finding.damage(segment.path(), 0, "the file is cut within its header"));
            return;
        }
        for (int i = 0; i < HEADER.length; i++) {
            if (window.bytes()[at + i] != HEADER[i]) {
                if (segment.isOpen() && onlyZeros(i)) {
                    findings.accept(Finding.note(segment.path(), i, "torn tail: the header is not written yet"));
                    ended = true;
                } else {
                    findings.accept(Finding.damage(segment.path(), i, "this is not the header of a log file"));
                }
                return;
            }
        }
    }

    /** Where the last entry returned ends. */
    public long position() {
        return position;
    }

    /** The next sound entry, or null at the end. */
    public RawEntry next() throws IOException {
        while (!ended) {
            int length = entryLength(position);
            if (length == 0) {
                end();
            } else {
                LogEntryProto entry = length < 0 ? null : soundEntry(position, length);
                if (entry != null) {
                    return taken(entry, length);
                } else if (!writtenMeanwhile()) {
                    passDamage(length < 0 ? "no entry begins here" : "the entry's checksum does not hold");
                }
            }
        }
        return null;
    }

    private RawEntry taken(LogEntryProto entry, int length) {
        long start = position;
        position += varintBytes(length) + (long) length + CHECKSUM_BYTES;
        if (entry.getIndex() != lastIndex + 1) {
            findings.accept(Finding.damage(
                    segment.path(), start, "entry " + entry.getIndex() + " where " + (lastIndex + 1) + " is expected"));
        }
        lastIndex = entry.getIndex();
        return raw(entry, start);
    }

    private RawEntry raw(LogEntryProto entry, long start) {
        RawEntry.Kind kind = entry.hasStateMachineLogEntry()
                ? RawEntry.Kind.METADATA
                : entry.hasMetadataEntry() ? RawEntry.Kind.COMMIT : RawEntry.Kind.CONFIGURATION;
        return new RawEntry(
                entry.getTerm(),
                entry.getIndex(),
                kind,
                kind == RawEntry.Kind.METADATA
                        ? entry.getStateMachineLogEntry().getLogData().toByteArray()
                        : new byte[0],
                kind == RawEntry.Kind.COMMIT ? entry.getMetadataEntry().getCommitIndex() : -1,
                segment.path(),
                start);
    }

    /** The end of the entries: whether the file may end so. */
    private void end() throws IOException {
        long behind = firstNonZero(position);
        if (behind >= 0) {
            if (writtenMeanwhile()) {
                return;
            }
            passDamage("zeros where an entry is expected, and more bytes behind them, from " + behind + " on");
            return;
        }
        ended = true;
        if (!segment.isOpen() && lastIndex != segment.last()) {
            findings.accept(Finding.damage(
                    segment.path(),
                    position,
                    "the file ends with entry " + lastIndex + ", and by its name with " + segment.last()));
        }
    }

    /** The file of a running node grows under the reader: whether a sound entry stands there by now. */
    private boolean writtenMeanwhile() throws IOException {
        if (!segment.isOpen()) {
            return false;
        }
        window.forget();
        int length = entryLength(position);
        return length > 0 && soundEntry(position, length) != null;
    }

    /** Reports what is at the position and moves to the next sound entry, if there is one. */
    private void passDamage(String what) throws IOException {
        long from = position;
        long next = nextSound(from + 1);
        if (next < 0) {
            ended = true;
            findings.accept(
                    isTorn(from)
                            ? Finding.note(segment.path(), from, "torn tail: the last write is incomplete")
                            : Finding.damage(
                                    segment.path(),
                                    from,
                                    what + "; entry " + (lastIndex + 1)
                                            + (segment.isOpen() ? " and all behind it" : " to " + segment.last())
                                            + " cannot be read"));
            return;
        }
        LogEntryProto entry = soundEntry(next, entryLength(next));
        long lost = entry.getIndex() - lastIndex - 1;
        String which = lost <= 0
                ? "no entry is missing"
                : lost == 1
                        ? "entry " + (lastIndex + 1) + " cannot be read"
                        : "entries " + (lastIndex + 1) + " to " + (entry.getIndex() - 1) + " cannot be read";
        findings.accept(Finding.damage(segment.path(), from, what + "; " + which + "; sound again from byte " + next));
        position = next;
        lastIndex = entry.getIndex() - 1;
    }

    /** Whether the bytes from there on are an entry that was never written to its end. */
    private boolean isTorn(long from) throws IOException {
        if (!segment.isOpen()) {
            return false;
        }
        int length = entryLength(from);
        if (length <= 0) {
            // Less than a length, or nothing behind it.
            return window.size() - from < 5 || firstNonZero(from + 5) < 0;
        }
        long end = from + varintBytes(length) + length + CHECKSUM_BYTES;
        return end > window.size() || firstNonZero(end - CHECKSUM_BYTES) < 0;
    }

    private long nextSound(long from) throws IOException {
        long size = window.size();
        for (long at = from; at < size; at++) {
            int length = entryLength(at);
            if (length > 0 && plausible(at + varintBytes(length)) && soundEntry(at, length) != null) {
                return at;
            }
        }
        return -1;
    }

    /** Whether a term and an index that may follow stand there; cheap, so that few checksums are computed in vain. */
    private boolean plausible(long at) throws IOException {
        if (byteAt(at) != TERM_TAG) {
            return false;
        }
        int term = varintLength(at + 1);
        if (term <= 0 || byteAt(at + 1 + term) != INDEX_TAG) {
            return false;
        }
        long index = varint(at + 2 + term);
        return index > lastIndex && index - lastIndex <= PLAUSIBLE_STEP && index <= segment.last();
    }

    /** The length that stands there; 0 at the end of the entries, -1 if it is none or the file ends before it does. */
    private int entryLength(long at) throws IOException {
        int first = byteAt(at);
        if (first <= 0) {
            return 0;
        }
        long length = varint(at);
        return length <= 0 || length > MAX_ENTRY_BYTES ? -1 : (int) length;
    }

    /** The entry, or null if it is cut, its checksum does not hold or it cannot be parsed. */
    private LogEntryProto soundEntry(long at, int length) throws IOException {
        int prefix = varintBytes(length);
        int start = window.locate(at, prefix + length + CHECKSUM_BYTES);
        if (start < 0) {
            return null;
        }
        byte[] bytes = window.bytes();
        checksum.reset();
        checksum.update(bytes, start, prefix + length);
        int stored = start + prefix + length;
        int expected = bytes[stored] << 24
                | (bytes[stored + 1] & 0xff) << 16
                | (bytes[stored + 2] & 0xff) << 8
                | bytes[stored + 3] & 0xff;
        if ((int) checksum.getValue() != expected) {
            return null;
        }
        try {
            return LogEntryProto.parseFrom(CodedInputStream.newInstance(bytes, start + prefix, length));
        } catch (InvalidProtocolBufferException e) {
            return null;
        } catch (IOException e) {
            throw new IllegalStateException("an array cannot fail", e);
        }
    }

    /** The byte, or -1 at the end of the file. */
    private int byteAt(long at) throws IOException {
        int where = window.locate(at, 1);
        return where < 0 ? -1 : window.bytes()[where] & 0xff;
    }

    /** Bytes of the varint that stands there, -1 if there is none. */
    private int varintLength(long at) throws IOException {
        for (int i = 0; i < 10; i++) {
            int next = byteAt(at + i);
            if (next < 0) {
                return -1;
            }
            if (next < 0x80) {
                return i + 1;
            }
        }
        return -1;
    }

    /** The varint that stands there, -1 if there is none. */
    private long varint(long at) throws IOException {
        int bytes = varintLength(at);
        long value = 0;
        for (int i = 0; i < bytes; i++) {
            value |= (long) (byteAt(at + i) & 0x7f) << (7 * i);
        }
        return bytes < 0 ? -1 : value;
    }

    /** Bytes that a length takes; Ratis writes it in as few as possible. */
    private static int varintBytes(int length) {
        return Math.max(1, (38 - Integer.numberOfLeadingZeros(length)) / 7);
    }

    private boolean onlyZeros(long from) throws IOException {
        return firstNonZero(from) < 0;
    }

    private long firstNonZero(long from) throws IOException {
        for (long at = from; ; at++) {
            int next = byteAt(at);
            if (next < 0) {
                return -1;
            }
            if (next != 0) {
                return at;
            }
        }
    }

    @Override
    public void close() throws IOException {
        window.close();
    }
}
