package io.tidemark.quorum.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.config.HealthConfig;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.health.HealthServer;
import io.tidemark.model.health.Page;
import io.tidemark.model.health.Readiness;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node that says it is ready is well only if everything else it says agrees. */
class NodeAnswerTest {
    private final CountDownLatch over = new CountDownLatch(1);
    private HealthServer node;

    @BeforeEach
    void start() throws Exception {
        node = HealthServer.start(new HealthConfig("127.0.0.1", 0, false), "one");
        node.ready(() -> Readiness.of(true, "ready", Map.of()));
    }

    @AfterEach
    void stop() {
        over.countDown();
        node.close();
    }

    private NodeAnswer ask() {
        return NodeAnswer.ask(List.of(new QuorumVoter(1, "127.0.0.1", node.port())))
                .get(0);
    }

    @Test
    void oneThatIsWellHasNothingToTell() {
        assertThat(ask().problems()).isEmpty();
        assertThat(ask().warnings()).isEmpty();
    }

    @Test
    void oneThatIsReadyButNotAliveIsNotWell() {
        node.add("/livez", query -> Page.Answer.json(503, Map.of("alive", false)));
        assertThat(ask().problems()).containsExactly("node 1 is not alive: {\"alive\":false}");
    }

    @Test
    void oneWhoseWarningsAreNotHeardIsNotWell() {
        node.add("/warnings", query -> {
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return Page.Answer.text(200, "");
        });
        assertThat(ask().problems())
                .singleElement()
                .asString()
                .contains("node 1 does not tell its warnings: no answer from 127.0.0.1:" + node.port() + " in time");
    }

    @Test
    void oneThatCannotTellItsWarningsIsNotWell() {
        node.add("/warnings", query -> {
            throw new IllegalStateException("a loop has not turned");
        });
        assertThat(ask().problems())
                .singleElement()
                .asString()
                .startsWith("node 1 does not tell its warnings: ")
                .contains("a loop has not turned");
    }

    @Test
    void whatIsWrongThereIsTold() {
        node.add("/problems", query -> Page.Answer.text(200, "orders-0: out of service: why\n"));
        NodeAnswer answer = ask();
        assertThat(answer.problems()).containsExactly("node 1: orders-0: out of service: why");
        assertThat(answer.cannotServe("orders-0")).isTrue();
        assertThat(answer.cannotServe("orders-1")).isFalse();
    }

    @Test
    void muchThatIsWrongIsCut() {
        node.add(
                "/problems",
                query -> Page.Answer.text(200, "p-0: x\np-1: x\np-2: x\np-3: x\np-4: x\np-5: x\np-6: x\n"));
        assertThat(ask().problems())
                .hasSize(6)
                .contains("node 1: p-4: x")
                .endsWith("node 1: ... and 2 more like the last");
        assertThat(ask().cannotServe("p-6")).isTrue();
    }

    @Test
    void oneThatIsThereButNotReadyIsNotWell() {
        node.ready(() -> Readiness.of(false, "fenced", Map.of()));
        assertThat(ask().problems()).containsExactly("node 1 is not ready: {\"ready\":false,\"state\":\"fenced\"}");
    }

    @Test
    void oneThatIsGoneHasOneLine() {
        node.close();
        NodeAnswer answer = ask();
        assertThat(answer.answered()).isFalse();
        assertThat(answer.problems()).singleElement().asString().startsWith("node 1 does not answer: ");
    }
}
