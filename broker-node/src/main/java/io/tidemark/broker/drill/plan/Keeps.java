package io.tidemark.broker.drill.plan;

/**
 * What a drill promises to leave alive whatever it does; a step that would break it is refused.
 *
 * @param controllers a majority of them works
 * @param replicas of each partition at least one replica of ISR or ELR works
 * @param data of each partition at least one replica of ISR or ELR has its disk as it was
 */
public record Keeps(boolean controllers, boolean replicas, boolean data) {
    public static final Keeps EVERYTHING = new Keeps(true, true, true);
}
