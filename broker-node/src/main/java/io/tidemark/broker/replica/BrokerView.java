package io.tidemark.broker.replica;

/** A broker as the metadata has it: the epoch of its registration, and whether it may join an ISR (R1.9, R2.12). */
public record BrokerView(int id, long epoch, boolean active) {}
