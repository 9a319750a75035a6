package io.tidemark.model.config;

import java.util.Locale;
import java.util.Optional;

/**
 * What may be done when no replica is known to hold all that was acknowledged (B1). The cluster keeps both from its first
 * entry on; later they are changed as its configuration.
 *
 * @param enabled {@code unclean.leader.election.enable}: the cluster's value for topics without their own
 */
public record UncleanElection(boolean enabled, Strategy strategy) {
    /** {@code unclean.recovery.strategy}. */
    public enum Strategy {
        /** Wait for an operator. */
        NONE,
        /** When all that could be best have reported, the best of them. */
        BALANCED,
        /** The best of who is there now. */
        AGGRESSIVE
    }

    /** The value of the strategy's key, unless it is what the other key brings anyway. */
    public Optional<String> chosen() {
        return strategy == fallback(enabled)
                ? Optional.empty()
                : Optional.of(strategy.name().toLowerCase(Locale.ROOT));
    }

    private static Strategy fallback(boolean enabled) {
        return enabled ? Strategy.AGGRESSIVE : Strategy.BALANCED;
    }

    static UncleanElection read(ConfigReader reader) {
        boolean enabled = reader.flag("unclean.leader.election.enable", false);
        return new UncleanElection(enabled, reader.choice("unclean.recovery.strategy", fallback(enabled)));
    }
}
