package io.tidemark.broker.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.metadata.QuorumQuery.Recovery;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whose data may go on under which controllers. Recoveries are written as ID@INDEX, oldest first, with + between. */
class KnownMetadataTest {
    @TempDir
    private Path directory;

    private KnownMetadata known() throws IOException {
        return KnownMetadata.read(directory);
    }

    private static Recovery recovery(String text) {
        Recovery last = Recovery.NONE;
        for (String one : text == null ? new String[0] : text.split("\\+")) {
            String[] parts = one.split("@");
            last = new Recovery(parts[0], Long.parseLong(parts[1]), last.all());
        }
        return last;
    }

    @ParameterizedTest
    @CsvSource({
        // followed, index, told, index that is shared (empty: it goes on)
        ", 200, , ",
        ", 100, a@100, ",
        ", 101, a@100, 100",
        // It came through the first recovery, or did not.
        ", 200, a@100+b@400, 100",
        ", 100, a@100+b@400, ",
        "a@100, 400, a@100+b@400, ",
        "a@100, 401, a@100+b@400, 400",
        // The second one took an older image than the first.
        ", 70, a@100+b@60, 60",
        "a@100, 70, a@100+b@60, 60",
        "a@100, 60, a@100+b@60, ",
        // Made anew twice from the same history: what was decided between is in the one only.
        "a@100, 150, b@200, 100",
        "a@100, 100, b@200, ",
        "a@100+b@400, 450, a@100, 400",
        "a@100, 150, , 100",
    })
    void itGoesOnUpToWhereTheHistoriesPart(String followed, long index, String told, Long shared) throws IOException {
        KnownMetadata known = known();
        assertThat(known.problemWith(recovery(followed), -1)).isNull();
        known.reached(index, true);
        String problem = known().problemWith(recovery(told), -1);
        if (shared == null) {
            assertThat(problem).isNull();
            assertThat(known().problemWith(recovery(told), -1)).isNull();
        } else {
            assertThat(problem).contains("up to index " + index, "an image of index " + shared + ":");
        }
    }

    @Test
    void aFileOfAnOlderVersionIsRead() throws IOException {
        Files.writeString(directory.resolve("metadata.known"), "recovery=a index=300\n");
        assertThat(known().problemWith(new Recovery("a", 100), -1)).isNull();
        assertThat(known().problemWith(recovery("a@100+b@250"), -1)).contains("an image of index 250");
        Files.writeString(directory.resolve("metadata.known"), "recovery=a index=300\n");
        assertThat(known().problemWith(new Recovery("b", 400), -1)).contains("these controllers have another history");
        Files.writeString(directory.resolve("metadata.known"), "recovery= index=300\n");
        assertThat(known().problemWith(Recovery.NONE, -1)).isNull();
    }

    @Test
    void anotherHistoryIsNotFollowed() throws IOException {
        // What an older version wrote says nothing of it; an image that says nothing may then be its own.
        Files.writeString(directory.resolve("metadata.known"), "recovery= index=300\n");
        assertThat(known().problemWithHistory(0)).isNull();
        assertThat(known().problemWithHistory(-7)).isNull();
        assertThat(known().problemWithHistory(-7)).isNull();
        assertThat(known().problemWithHistory(0)).contains("have history 0000000000000000");
        assertThat(known().problemWithHistory(7))
                .contains("of history fffffffffffffff9", "have history 0000000000000007: the controllers began anew");
        // The other one is not what it follows from now on, and all else is still known.
        assertThat(known().problemWithHistory(-7)).isNull();
        assertThat(known().problemWith(new Recovery("a", 299), -1)).contains("an image of index 299");
        assertThat(known().problemWithHistory(7)).contains("have history 0000000000000007");
    }
}
