package io.tidemark.quorum.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.model.MonoTime;
import io.tidemark.model.WallTime;
import io.tidemark.model.codec.AnswerParts;
import io.tidemark.model.codec.QueryCodec.QueryFailedException;
import io.tidemark.model.metadata.QuorumQuery.ReadPart;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LargeAnswersTest {
    private long nowMs = 1_000_000;
    private final List<Runnable> timers = new ArrayList<>();
    private final LargeAnswers answers = new LargeAnswers(
            new NodeClock() {
                @Override
                public WallTime wall() {
                    return new WallTime(nowMs);
                }

                @Override
                public MonoTime mono() {
                    return new MonoTime(nowMs);
                }
            },
            (task, delayMs) -> timers.add(task),
            40);

    @BeforeEach
    void small() {
        answers.cut(100, 30);
    }

    private static byte[] bytes(int count, int value) {
        byte[] bytes = new byte[count];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    private byte[] read(byte[] note) {
        AnswerParts parts = AnswerParts.of(note);
        while (!parts.complete()) {
            parts.add(answers.part((ReadPart) parts.next()));
        }
        return parts.answer();
    }

    /** The timers that are set, each once, as if their time had come. */
    private void timersRun() {
        List<Runnable> due = List.copyOf(timers);
        timers.clear();
        due.forEach(Runnable::run);
    }

    @Test
    void whatFitsIsSentAsItIs() {
        byte[] answer = bytes(100, 1);
        assertThat(answers.sent(answer)).isSameAs(answer);
        assertThat(answers.size()).isZero();
    }

    @Test
    void whatDoesNotIsReadInPartsAndForgottenWithTheLast() {
        byte[] answer = bytes(101, 1);
        assertThat(read(answers.sent(answer))).isEqualTo(answer);
        assertThat(answers.size()).isZero();
    }

    @Test
    void twoReadersAreServedAtATimeAndAThirdIsToldToComeAgain() {
        AnswerParts first = AnswerParts.of(answers.sent(bytes(200, 1)));
        byte[] second = answers.sent(bytes(200, 2));
        byte[] refused = answers.sent(bytes(200, 3));
        assertThatThrownBy(() -> first.add(refused))
                .isInstanceOf(QueryFailedException.class)
                .hasMessageContaining("ask again");
        assertThat(read(second)).isEqualTo(bytes(200, 2));
        assertThat(read(answers.sent(bytes(200, 3)))).isEqualTo(bytes(200, 3));
    }

    @Test
    void whoIsSlowIsServedAndWhoIsGoneIsForgotten() {
        AnswerParts slow = AnswerParts.of(answers.sent(bytes(200, 1)));
        AnswerParts gone = AnswerParts.of(answers.sent(bytes(200, 2)));
        nowMs += LargeAnswers.KEPT_MS - 1;
        slow.add(answers.part((ReadPart) slow.next()));
        nowMs++;
        timersRun();
        assertThat(answers.size()).isEqualTo(1);
        slow.add(answers.part((ReadPart) slow.next()));
        assertThatThrownBy(() -> gone.add(answers.part((ReadPart) gone.next())))
                .isInstanceOf(QueryFailedException.class)
                .hasMessageContaining("any more");
        nowMs += LargeAnswers.KEPT_MS;
        timersRun();
        assertThat(answers.size()).isZero();
        assertThat(timers).as("nothing to watch any more").isEmpty();
    }

    @Test
    void readersWithTheSameQuestionShareAnAnswerForAWhile() {
        byte[] answer = bytes(200, 1);
        byte[] note = answers.sent(answer, "everything");
        assertThat(answers.shared("everything"::equals)).isEqualTo(note);
        assertThat(answers.shared("something"::equals)).isNull();
        assertThat(read(note)).isEqualTo(answer);
        assertThat(read(answers.shared("everything"::equals)))
                .as("also when it was read")
                .isEqualTo(answer);
        for (long shared = 0; shared < LargeAnswers.SHARED_MS; shared += 10_000) {
            assertThat(answers.shared("everything"::equals)).isNotNull();
            nowMs += 10_000;
        }
        assertThat(answers.shared("everything"::equals)).as("too old").isNull();
    }

    @Test
    void anOffsetThatIsNotThereIsRefused() {
        AnswerParts parts = AnswerParts.of(answers.sent(bytes(200, 1)));
        long id = ((ReadPart) parts.next()).id();
        for (long offset : new long[] {-1, 200, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> parts.add(answers.part(new ReadPart(id, offset))))
                    .isInstanceOf(QueryFailedException.class);
        }
    }
}
