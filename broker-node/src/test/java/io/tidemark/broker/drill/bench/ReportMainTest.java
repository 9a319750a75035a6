package io.tidemark.broker.drill.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ReportMainTest {
    private static final List<String> FIGURES = List.of(
            "tidemark\tTHROUGHPUT_1000\t120.0",
            "kafka\tTHROUGHPUT_1000\t90.0",
            "tidemark\tTHROUGHPUT_1000\t100.0",
            "kafka\tTHROUGHPUT_1000\t40.0",
            "tidemark\tTHROUGHPUT_1000\t10.0",
            "kafka\tTHROUGHPUT_1000\t50.0",
            "tidemark\tCPU_1000\t6.0",
            "kafka\tCPU_1000\t10.0",
            "tidemark\tKILL_LOST\t0.0",
            "tidemark\tKILL_LOST\t1.0",
            "tidemark\tKILL_LOST\t1.0",
            "bare\tBARE_GROWING\t2.0");

    private final ReportMain report = ReportMain.read(FIGURES, List.of("java=the \"17\"", "sizes=--warm-up-gb 1.5"));

    @Test
    void theTableHasMediansAndTheirRatio() {
        assertThat(row("acks=all RF 3, 1000 B")).containsSequence("100.00", "50.00", "2.00", ">=", "1.50");
    }

    @Test
    void aMarkThatIsNotReachedIsCalledMissed() {
        assertThat(row("  CPU of all servers")).containsSequence("6.00", "10.00", "0.60", "<=", "0.40", "MISSED");
        assertThat(row("acks=all RF 3, 1000 B")).doesNotContain("MISSED");
    }

    @Test
    void lossIsMissedWithoutAPeerToCompareWith() {
        assertThat(row("  lost")).contains("MISSED");
    }

    @Test
    void bareSocketsAreComparedWithBoth() {
        assertThat(row("bare sockets and files, growing")).containsSequence("2.00", "-", "-");
        assertThat(row("CPU at 1000 B to bare sockets")).containsSequence("3.00", "5.00");
    }

    @Test
    void jsonHasEveryValueAndTheSettings() {
        assertThat(report.json())
                .contains("\"java\": \"the \\\"17\\\"\"")
                .contains("\"sizes\": \"--warm-up-gb 1.5\"")
                .contains("\"figure\": \"THROUGHPUT_1000\"")
                .contains("\"tidemark\": [120.0, 100.0, 10.0]")
                .contains("\"kafka\": null, \"ratio\": null, \"mark\": \"0\", \"reached\": false");
    }

    private List<String> row(String title) {
        String line = report.table()
                .lines()
                .filter(candidate -> candidate.startsWith(title))
                .findFirst()
                .orElseThrow();
        return List.of(line.strip().split("\\s+"));
    }
}
