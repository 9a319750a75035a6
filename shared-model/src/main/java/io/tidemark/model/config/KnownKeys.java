package io.tidemark.model.config;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Which keys exist: ours by role, and those of Kafka that are accepted without effect. */
final class KnownKeys {
    private static final Map<NodeRole, Set<String>> BY_ROLE = Map.of(
            NodeRole.BROKER, ConfigReader.keysReadBy(BrokerConfig::read),
            NodeRole.CONTROLLER, ConfigReader.keysReadBy(ControllerConfig::read));

    /** The broker keys of Kafka 4.3.1, one a line. */
    private static final Set<String> KAFKA = load("kafka-keys.txt");

    private KnownKeys() {}

    static Set<String> of(NodeRole role) {
        return Objects.requireNonNull(BY_ROLE.get(role));
    }

    /** Includes the keys with a listener's name in front, which no list can hold. */
    static boolean isKafkaKey(String key) {
        return KAFKA.contains(key) || key.startsWith("listener.name.");
    }

    /** The known key nearest in spelling, if any is near enough to be what was meant; ours before Kafka's. */
    static Optional<String> closest(String key) {
        Set<String> ours = new TreeSet<>(of(NodeRole.BROKER));
        ours.addAll(of(NodeRole.CONTROLLER));
        int limit = Math.max(1, Math.min(5, key.length() / 4));
        Optional<String> own = closest(key, ours, limit);
        int ownDistance = own.map(near -> distance(key, near)).orElse(limit + 1);
        return closest(key, KAFKA, ownDistance - 1).or(() -> own);
    }

    private static Optional<String> closest(String key, Set<String> candidates, int limit) {
        String best = null;
        int bestDistance = limit + 1;
        for (String candidate : candidates) {
            int distance = distance(key, candidate);
            if (distance < bestDistance) {
                best = candidate;
                bestDistance = distance;
            }
        }
        return Optional.ofNullable(best);
    }

    /** Least number of inserted, removed or replaced characters between the two. */
    static int distance(String left, String right) {
        int[] previous = new int[right.length() + 1];
        int[] current = new int[right.length() + 1];
        for (int j = 0; j <= right.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            current[0] = i;
            for (int j = 1; j <= right.length(); j++) {
                int replaced = previous[j - 1] + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
            }
            int[] swap = previous;
            previous = current;
            current = swap;
        }
        return previous[right.length()];
    }

    private static Set<String> load(String resource) {
        try (InputStream in = Objects.requireNonNull(KnownKeys.class.getResourceAsStream(resource), resource);
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            return lines.lines().filter(line -> !line.isBlank()).collect(Collectors.toUnmodifiableSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
