package io.tidemark.broker.replica;

/**
 * A broker as the metadata has it: the epoch of its registration, and whether it may join an ISR (R1.9, R2.12).
 *
 * @param rack where it stands, "" if it does not say
 */
public record BrokerView(int id, long epoch, boolean active, String rack) {
    /** One that does not say where it stands. */
    public BrokerView(int id, long epoch, boolean active) {
        this(id, epoch, active, "");
    }
}
