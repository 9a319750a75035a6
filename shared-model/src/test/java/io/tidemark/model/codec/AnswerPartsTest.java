package io.tidemark.model.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.model.codec.QueryCodec.QueryFailedException;
import io.tidemark.model.metadata.QuorumQuery.ReadPart;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AnswerPartsTest {
    private static byte[] answer(int bytes) {
        byte[] answer = new byte[bytes];
        new Random(bytes).nextBytes(answer);
        return answer;
    }

    private static byte[] note(byte[] answer) {
        return QueryCodec.encodeLarge(7, answer);
    }

    @Test
    void theWholeComesBack() {
        byte[] answer = answer(1_000);
        AnswerParts parts = AnswerParts.of(note(answer));
        assertThat(parts.size()).isEqualTo(1_000);
        for (int from = 0; from < answer.length; from += 300) {
            assertThat(parts.complete()).isFalse();
            assertThat(parts.next()).isEqualTo(new ReadPart(7, from));
            parts.add(QueryCodec.encodePart(answer, from, Math.min(answer.length, from + 300)));
        }
        assertThat(parts.complete()).isTrue();
        assertThat(parts.answer()).isEqualTo(answer);
    }

    @Test
    void whatIsNoNoteIsTheAnswerItself() {
        assertThat(AnswerParts.of(QueryCodec.encodeFailure("short"))).isNull();
        assertThat(AnswerParts.of(QueryCodec.encodeFailure("long".repeat(50)))).isNull();
    }

    @Test
    void anAnswerThatIsNotKeptAnyMoreIsAFailureOfTheController() {
        AnswerParts parts = AnswerParts.of(note(answer(1_000)));
        assertThatThrownBy(() -> parts.add(QueryCodec.encodeFailure("gone")))
                .isInstanceOf(QueryFailedException.class)
                .hasMessage("gone");
    }

    @Test
    void partsThatDoNotFitAreDamage() {
        byte[] answer = answer(1_000);
        AnswerParts parts = AnswerParts.of(note(answer));
        assertThatThrownBy(() -> parts.add(QueryCodec.encodePart(answer, 0, 0)))
                .isInstanceOf(UnreadableException.class);
        parts.add(QueryCodec.encodePart(answer, 0, 600));
        assertThatThrownBy(() -> parts.add(QueryCodec.encodePart(answer, 500, 1_000)))
                .isInstanceOf(UnreadableException.class);
        assertThatThrownBy(parts::answer).isInstanceOf(UnreadableException.class);
        // The right number of bytes, and not the right ones.
        parts.add(QueryCodec.encodePart(answer, 0, 400));
        assertThatThrownBy(parts::answer).isInstanceOf(UnreadableException.class);
    }
}
