package io.tidemark.broker.app;

import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.health.HttpProbe;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a health port answers, for tests. */
final class Scrape {
    private Scrape() {}

    static HttpProbe.Reply get(int port, String path) {
        try {
            return HttpProbe.ask(List.of(new QuorumVoter(0, "127.0.0.1", port)), path)
                    .get(0);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The values by name with labels, as they stand in the text. */
    static Map<String, Double> metrics(int port) {
        Map<String, Double> values = new TreeMap<>();
        get(port, "/metrics")
                .body()
                .lines()
                .filter(line -> !line.startsWith("#"))
                .forEach(line -> {
                    int space = line.lastIndexOf(' ');
                    values.put(line.substring(0, space), Double.valueOf(line.substring(space + 1)));
                });
        return values;
    }

    /** That metric of all those ports together; a port that does not answer adds nothing, as with any monitor. */
    static double sum(List<Integer> ports, String name) {
        return ports.stream()
                .mapToDouble(port -> metrics(port).getOrDefault(name, 0.0))
                .sum();
    }
}
