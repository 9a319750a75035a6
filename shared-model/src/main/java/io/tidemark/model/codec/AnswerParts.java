package io.tidemark.model.codec;

import com.google.protobuf.ByteString;
import io.tidemark.model.codec.proto.LargeAnswerP;
import io.tidemark.model.metadata.QuorumQuery;
import java.util.zip.CRC32C;

/**
 * An answer of a controller that is too large for a message, put together from its parts. All of them are of the one answer
 * that the controller keeps under an id; when it does not keep it any more, or another controller is asked, the query is
 * asked anew. Not thread-safe.
 */
public final class AnswerParts {
    private final long id;
    private final int checksum;
    private final byte[] bytes;
    private int filled;

    private AnswerParts(LargeAnswerP note) {
        id = note.getId();
        checksum = note.getCrc32C();
        bytes = new byte[(int) note.getBytes()];
    }

    /**
     * What is to be read in parts if those bytes are the note of it; null if they are the answer itself. Throws
     * {@link UnreadableException} for damage.
     */
    public static AnswerParts of(byte[] answer) {
        LargeAnswerP note = QueryCodec.large(answer);
        if (note == null) {
            return null;
        }
        // Some virtual machines take no array of the very last sizes.
        if (note.getBytes() <= 0 || note.getBytes() > Integer.MAX_VALUE - 8) {
            throw new UnreadableException("an answer of " + note.getBytes() + " bytes");
        }
        return new AnswerParts(note);
    }

    /** How long the whole answer is, bytes. */
    public int size() {
        return bytes.length;
    }

    public boolean complete() {
        return filled == bytes.length;
    }

    /** What to ask the same controller next. */
    public QuorumQuery next() {
        return new QuorumQuery.ReadPart(id, filled);
    }

    /**
     * The encoded answer to {@link #next}. Throws {@link QueryCodec.QueryFailedException} if the controller does not keep
     * the rest any more, {@link UnreadableException} for damage.
     */
    public void add(byte[] answer) {
        ByteString part = QueryCodec.decodePart(answer);
        if (part.isEmpty() || part.size() > bytes.length - filled) {
            throw new UnreadableException("a part of " + part.size() + " bytes, where " + (bytes.length - filled)
                    + " of " + bytes.length + " were missing");
        }
        part.copyTo(bytes, filled);
        filled += part.size();
    }

    /** The whole answer, when it is complete. Throws {@link UnreadableException} if it is not what was promised. */
    public byte[] answer() {
        if (!complete() || checksum(bytes) != checksum) {
            throw new UnreadableException("the parts of an answer do not make up what was promised");
        }
        return bytes;
    }

    static int checksum(byte[] answer) {
        CRC32C crc = new CRC32C();
        crc.update(answer);
        return (int) crc.getValue();
    }
}
