package io.tidemark.quorum.inspect;

import io.tidemark.model.config.HostPort;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.health.HttpProbe;
import java.util.ArrayList;
import java.util.List;

/**
 * What a node says of itself over its health port.
 *
 * @param answered whether it answered at all; if not, {@code facts} says why
 * @param facts the body of {@code /readyz}, or why there is none
 * @param troubles what else speaks against it, ends of sentences that begin with the node
 * @param failing what it knows to be wrong, a line each; that of a partition begins with its name and a colon
 * @param warnings what may become a problem, a sentence each
 */
record NodeAnswer(
        int id,
        String address,
        boolean answered,
        boolean ready,
        String facts,
        List<String> troubles,
        List<String> failing,
        List<String> warnings) {
    /** A node that takes the question and stays silent is paused or stuck; milliseconds. */
    private static final int PATIENCE_MS = 2_500;
    /** How long its loops may take, so that the node can still say that one does not turn; milliseconds. */
    private static final int LOOP_PATIENCE_MS = 2_000;

    private static final String READY = "/readyz";
    private static final String ALIVE = "/livez?within=" + LOOP_PATIENCE_MS;
    private static final String PROBLEMS = "/problems";
    private static final String WARNINGS = "/warnings";
    /** More lines of one node are only counted. */
    private static final int MOST_LINES = 5;

    NodeAnswer {
        troubles = List.copyOf(troubles);
        failing = List.copyOf(failing);
        warnings = List.copyOf(warnings);
    }

    /** What keeps it from doing its work, as the end of a sentence; empty if nothing does. */
    String complaint() {
        if (!answered) {
            return "does not answer: " + facts;
        }
        return ready ? "" : "is not ready: " + facts;
    }

    /** All that is wrong with it, a sentence each. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        if (!complaint().isEmpty()) {
            problems.add("node " + id + " " + complaint());
        }
        problems.addAll(furtherProblems());
        return problems;
    }

    /** Beside the complaint. */
    List<String> furtherProblems() {
        List<String> problems = new ArrayList<>();
        troubles.forEach(trouble -> problems.add("node " + id + " " + trouble));
        failing.stream().limit(MOST_LINES).forEach(line -> problems.add("node " + id + ": " + line));
        if (failing.size() > MOST_LINES) {
            problems.add("node " + id + ": ... and " + (failing.size() - MOST_LINES) + " more like the last");
        }
        return problems;
    }

    /** Whether its replica of that partition, {@code TOPIC-NUMBER}, does nothing any more. */
    boolean cannotServe(String partition) {
        return failing.stream().anyMatch(line -> line.startsWith(partition + ": "));
    }

    /** Asks all of them everything at once. */
    static List<NodeAnswer> ask(List<QuorumVoter> nodes) {
        List<List<HttpProbe.Reply>> replies = probe(nodes);
        List<NodeAnswer> answers = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            answers.add(of(
                    replies.get(0).get(i),
                    replies.get(1).get(i),
                    replies.get(2).get(i),
                    replies.get(3).get(i)));
        }
        return answers;
    }

    private static List<List<HttpProbe.Reply>> probe(List<QuorumVoter> nodes) {
        try {
            return HttpProbe.ask(nodes, List.of(READY, ALIVE, PROBLEMS, WARNINGS), PATIENCE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static NodeAnswer of(
            HttpProbe.Reply ready, HttpProbe.Reply alive, HttpProbe.Reply problems, HttpProbe.Reply warnings) {
        List<String> troubles = new ArrayList<>();
        if (ready.answered()) {
            missing("is not alive: ", alive, troubles);
        }
        // One that is not alive is not expected to tell more.
        if (alive.status() == 200) {
            // A node of an earlier version has no such page.
            if (problems.status() != 404) {
                missing("does not tell its problems: ", problems, troubles);
            }
            missing("does not tell its warnings: ", warnings, troubles);
        }
        return new NodeAnswer(
                ready.node().id(),
                new HostPort(ready.node().host(), ready.node().port()).toString(),
                ready.answered(),
                ready.status() == 200,
                ready.answered() ? ready.body().strip() : ready.problem(),
                troubles,
                lines(problems),
                lines(warnings));
    }

    private static void missing(String what, HttpProbe.Reply reply, List<String> troubles) {
        if (reply.status() != 200) {
            troubles.add(what + (reply.answered() ? reply.body().strip() : reply.problem()));
        }
    }

    private static List<String> lines(HttpProbe.Reply reply) {
        return reply.status() == 200 ? reply.body().lines().toList() : List.of();
    }
}
