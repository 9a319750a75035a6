package io.tidemark.quorum.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.QuorumCommand;
import java.nio.file.Path;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sentences, word by word. */
class WhyTest {
    @TempDir
    private Path folder;

    private final TimeZone zone = TimeZone.getDefault();
    private FixtureLog log;

    @BeforeEach
    void aClusterOfThree() {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        log = new FixtureLog(folder);
        log.bootstrap();
        for (int id = 1; id <= 3; id++) {
            log.start(id);
        }
        log.later(1_000).createTopic("orders", List.of(List.of(1, 2, 3), List.of(2, 3, 1)));
    }

    @AfterEach
    void restoreZone() {
        log.close();
        TimeZone.setDefault(zone);
    }

    @Test
    void aBrokerIsLostAndComesBack() {
        log.later(60_000).fence("process gone, connection refused twice and no heartbeat", 2);
        log.later(120).fence("no heartbeat within the session timeout", 3);
        log.later(5_000).start(2, "2-2");
        log.later(300).alterIsr("orders", 1, List.of(1, 2), "replicas [2] have caught up");
        log.later(50).run(new QuorumCommand.ShutDownBroker(log.ref(1)));
        log.later(10).fence("controlled shutdown is complete", 1);
        log.flush();
        assertThat(Tool.run("why", "--dir", folder, "orders", "1")).isEqualTo(told("""
                                2026-11-30 (UTC)
                                12:00:01.000 created by client admin: leader 2, epoch 0; ISR 2,3,1; replicas 2,3,1; \
                                min ISR 2; partition epoch 0 [8]
                                12:01:01.000 broker 2 lost: process gone, connection refused twice and no heartbeat; \
                                fenced by controller 101; leader 2 -> 3, epoch 0 -> 1; ISR 2,3,1 -> 3,1; \
                                partition epoch 0 -> 1 [9]
                                12:01:01.120 broker 3 lost: no heartbeat within the session timeout; fenced by \
                                controller 101; leader 3 -> 1, epoch 1 -> 2; ISR 3,1 -> 1; ELR none -> 3; floor none -> \
                                unknown; partition epoch 1 -> 2 [10]
                                12:01:06.120 broker 2 registers (epoch 11): new incarnation, same boot and nothing cut [11]
                                12:01:06.120 broker 2 is back: unfenced by controller 101 [12]
                                12:01:06.420 leader 1: replicas [2] have caught up; ISR 1 -> 1,2; ELR 3 -> none; floor \
                                unknown -> none; partition epoch 2 -> 3 (its ISR was below the min ISR for 5.3 s) [13]
                                12:01:06.470 broker 1 stops in order (controlled shutdown); leader 1 -> 2, epoch 2 -> 3; \
                                ISR 1,2 -> 2; ELR none -> 1; floor none -> unknown; partition epoch 3 -> 4 [14]
                                12:01:06.480 broker 1 fenced by controller 101: controlled shutdown is complete [15]
                                now: leader 2, epoch 3; ISR 2; ELR 1; replicas 2,3,1; min ISR 2; partition epoch 4 \
                                (broker 3 is fenced, broker 1 is fenced,shutting-down)
                                """));
    }

    @Test
    void aPartitionWithoutALeaderIsToldHowLongItWasSo() {
        log.later(1_000).fence("no heartbeat within the session timeout", 1);
        log.later(1_000).fence("no heartbeat within the session timeout", 2);
        log.later(1_000).fence("the broker asked for it", 3);
        log.later(3_500).start(3, "3-2");
        log.start(1, "1-2");
        log.fence("controlled shutdown of a broker that leads nothing", 1);
        log.later(100).alterIsr("orders", 0, List.of(3), "");
        log.run(new QuorumCommand.DeleteTopics(List.of(new QuorumCommand.TopicRef("orders", TopicId.ZERO)), "admin"));
        log.flush();
        Tool tool = Tool.run("why", "--dir", folder, "orders", "0");
        assertThat(tool.status()).isZero();
        assertThat(tool.lines())
                .anyMatch(line -> line.contains("broker 3 fenced by controller 101: the broker asked for it; "
                        + "leader 3 -> none, epoch 2 -> 3"))
                .anyMatch(line -> line.contains("broker 3 is back: unfenced by controller 101; leader none -> 3")
                        && line.contains("it had no leader for 3.5 s"))
                .anyMatch(line -> line.contains(
                        "broker 1 fenced by controller 101: controlled shutdown of a broker that leads nothing"))
                .anyMatch(line -> line.contains("the topic is deleted by client admin"))
                .endsWith("now: there is no such partition");
    }

    @Test
    void itCanBeCutToATimeAndIsThereForPrograms() {
        long lost = log.later(60_000).last() + 1;
        log.fence("process gone", 2);
        log.later(60_000).fence("process gone", 3);
        log.flush();
        Tool tool = Tool.run(
                "why", "--dir", folder, "orders", "0", "--from", lost, "--to", "2026-11-30T12:01:30Z", "--json");
        assertThat(tool.lines()).hasSize(2);
        assertThat(tool.lines().get(0))
                .contains("\"index\":" + lost, "\"kind\":\"FenceBrokers\"", "\"controller\":101", "\"before\":{")
                .contains("broker 2 lost: process gone");
        assertThat(tool.lines().get(1)).startsWith("{\"now\":{\"leader\":1");
    }

    @Test
    void whatIsNotThereIsSaid() {
        log.flush();
        Tool tool = Tool.run("why", "--dir", folder, "payments", "0");
        assertThat(tool.status()).isEqualTo(1);
        assertThat(tool.err()).contains("nothing is known of payments-0").contains("history begins at index 0");
    }

    private static Tool told(String text) {
        return new Tool(0, text.replace("\n", System.lineSeparator()), "");
    }
}
