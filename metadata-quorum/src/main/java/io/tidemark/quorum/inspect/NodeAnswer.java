package io.tidemark.quorum.inspect;

import io.tidemark.model.config.HostPort;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.health.HttpProbe;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a node says of itself over its health port.
 *
 * @param answered whether it answered at all; if not, {@code problem} says why
 * @param facts the body of {@code /readyz}, or why there is none
 * @param warnings what may become a problem, a sentence each
 */
record NodeAnswer(int id, String address, boolean answered, boolean ready, String facts, List<String> warnings) {
    /** A node that takes the question and stays silent is paused or stuck; milliseconds. */
    private static final int PATIENCE_MS = 2_500;

    NodeAnswer {
        warnings = List.copyOf(warnings);
    }

    /** What is wrong with it, as the end of a sentence; empty if nothing is. */
    String complaint() {
        if (!answered) {
            return "does not answer: " + facts;
        }
        return ready ? "" : "is not ready: " + facts;
    }

    /** Asks all of them at once, those that answer a second time. */
    static List<NodeAnswer> ask(List<QuorumVoter> nodes) {
        List<HttpProbe.Reply> ready = probe(nodes, "/readyz");
        List<QuorumVoter> there = ready.stream()
                .filter(HttpProbe.Reply::answered)
                .map(HttpProbe.Reply::node)
                .toList();
        Map<Integer, List<String>> warnings = new HashMap<>();
        for (HttpProbe.Reply reply : probe(there, "/warnings")) {
            warnings.put(
                    reply.node().id(),
                    reply.status() == 200 ? reply.body().lines().toList() : List.of());
        }
        List<NodeAnswer> answers = new ArrayList<>();
        for (HttpProbe.Reply reply : ready) {
            answers.add(new NodeAnswer(
                    reply.node().id(),
                    new HostPort(reply.node().host(), reply.node().port()).toString(),
                    reply.answered(),
                    reply.status() == 200,
                    reply.answered() ? reply.body().strip() : reply.problem(),
                    warnings.getOrDefault(reply.node().id(), List.of())));
        }
        return answers;
    }

    private static List<HttpProbe.Reply> probe(List<QuorumVoter> nodes, String path) {
        try {
            return HttpProbe.ask(nodes, path, PATIENCE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
