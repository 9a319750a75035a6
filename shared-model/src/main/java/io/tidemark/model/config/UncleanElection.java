package io.tidemark.model.config;

/**
 * What may be done when no replica is known to hold all that was acknowledged (B1).
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

    static UncleanElection read(ConfigReader reader) {
        boolean enabled = reader.flag("unclean.leader.election.enable", false);
        Strategy fallback = enabled ? Strategy.AGGRESSIVE : Strategy.BALANCED;
        return new UncleanElection(enabled, reader.choice("unclean.recovery.strategy", fallback));
    }
}
