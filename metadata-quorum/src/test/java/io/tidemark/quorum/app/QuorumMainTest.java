package io.tidemark.quorum.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.quorum.ratis.QuorumHarness;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator sees of the quorum and does to it. */
class QuorumMainTest {
    @TempDir
    private Path folder;

    private record Run(int status, String out, String err) {}

    private static Run run(QuorumHarness quorum, String command, String... more) {
        List<String> words = new ArrayList<>(List.of(
                command,
                "--controllers",
                quorum.voters().stream().map(Object::toString).collect(Collectors.joining(",")),
                "--cluster-id",
                quorum.clusterId()));
        words.addAll(List.of(more));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = QuorumMain.run(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                words.toArray(String[]::new));
        return new Run(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void membersAreShownHandedOverAndLetGoAndASecondLossIsNotMadeLight() {
        try (QuorumHarness quorum = QuorumHarness.withCore(folder, 3, 3_600_000)) {
            int acting = quorum.leader().nodeId();
            int first = quorum.follower().nodeId();
            int second = 101 + 102 + 103 - acting - first;
            Awaitility.await("all have the log")
                    .atMost(QuorumHarness.PATIENCE)
                    .until(() -> run(quorum, "members", "--json").out().split("\"hasLog\":true", -1).length == 4);
            assertThat(run(quorum, "members").out())
                    .contains(
                            "controller " + acting + " acts in term",
                            quorum.voters().get(0).address())
                    .doesNotContain("behind");
            assertThat(run(quorum, "may-join", "999")).isEqualTo(new Run(0, "new" + System.lineSeparator(), ""));
            // The first loses its directory: it may join anew.
            quorum.kill(first);
            assertThat(run(quorum, "may-join", String.valueOf(first)).out()).startsWith("member");
            // While it is not back, a second loss is not formatted away.
            Awaitility.await("its absence is noticed")
                    .atMost(QuorumHarness.PATIENCE)
                    .until(() -> run(quorum, "may-join", String.valueOf(second)).status() == 1);
            assertThat(run(quorum, "may-join", String.valueOf(second)).err())
                    .contains("Bring [" + first + "] back first");
            quorum.startNode(first);
            Awaitility.await("it is back")
                    .atMost(QuorumHarness.PATIENCE)
                    .until(() -> run(quorum, "may-join", String.valueOf(second)).status() == 0);

            assertThat(run(quorum, "transfer", String.valueOf(first)).out())
                    .startsWith("controller " + first + " is the acting one");
            Run unknown = run(quorum, "transfer", "999");
            assertThat(unknown.status()).isEqualTo(1);
            assertThat(unknown.err()).contains("is no member of the quorum");
            assertThat(run(quorum, "remove", "999").out()).contains("was no member");
            assertThat(run(quorum, "remove", String.valueOf(second)).out()).contains("is no member any more");
            quorum.kill(second);
            assertThat(run(quorum, "members").out()).doesNotContain("\n" + second + " ");
            assertThat(run(quorum, "frobnicate").status()).isEqualTo(2);
        }
    }

    @Test
    void withoutAQuorumTheReasonOfEachControllerIsTold() {
        try (QuorumHarness quorum = QuorumHarness.withCore(folder, 1, 3_600_000)) {
            quorum.leader();
            quorum.kill(101);
            Run run = run(quorum, "members");
            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err()).startsWith("there is no acting controller (controller 101: ");
        }
    }
}
