package io.tidemark.model.codec;

import io.tidemark.model.metadata.QuorumReply;
import java.util.Base64;
import java.util.Optional;

/**
 * A reply to a command that was refused before it became an entry, carried in the message of an error: the one way out
 * of the quorum's library that needs no entry.
 */
public final class RefusalText {
    private static final String MARK = "tidemark-refusal:";

    private RefusalText() {}

    /** The reply as text without white space. */
    public static String of(QuorumReply reply) {
        return MARK + Base64.getEncoder().encodeToString(CommandCodec.encode(new QuorumReply.Answer(-1, reply)));
    }

    /** The reply inside an error's message, if it has one. Its index is -1: there is no entry. */
    public static Optional<QuorumReply.Answer> find(String message) {
        int at = message == null ? -1 : message.indexOf(MARK);
        if (at < 0) {
            return Optional.empty();
        }
        String rest = message.substring(at + MARK.length()).split("\\s", 2)[0];
        return Optional.of(CommandCodec.decodeAnswer(Base64.getDecoder().decode(rest)));
    }
}
