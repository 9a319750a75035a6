package io.tidemark.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rule of the high watermark, row by row: high_watermark.txt. */
class HighWatermarkTest {
    static Stream<String> rows() throws IOException {
        try (InputStream in = HighWatermarkTest.class.getResourceAsStream("/high_watermark.txt")) {
            List<String> rows = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
            assertThat(rows).hasSizeGreaterThan(10);
            return rows.stream();
        }
    }

    @ParameterizedTest
    @MethodSource("rows")
    void markIs(String row) {
        String[] fields = row.trim().split("\\s+");
        assertThat(fields).hasSize(6);
        List<FollowerProgress> followers = new ArrayList<>();
        Map<Integer, Boolean> holds = new HashMap<>();
        for (String text : fields[4].equals("-") ? new String[0] : fields[4].split(",")) {
            String[] endAndRole = text.split(":");
            FollowerProgress follower = new FollowerProgress(2 + followers.size());
            long end = Long.parseLong(endAndRole[0]);
            if (end >= 0) {
                follower.fetched(end, 0, end, 0, new SessionClock());
            }
            followers.add(follower);
            holds.put(follower.id, !endAndRole[1].equals("o"));
        }
        long mark = HighWatermark.of(
                Long.parseLong(fields[0]),
                Long.parseLong(fields[1]),
                Integer.parseInt(fields[2]) < Integer.parseInt(fields[3]),
                followers,
                (follower, nowMs) -> holds.get(follower.id),
                0);
        assertThat(mark).isEqualTo(Long.parseLong(fields[5]));
    }
}
