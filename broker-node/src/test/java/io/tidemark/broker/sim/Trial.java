package io.tidemark.broker.sim;

/**
 * One kind of crash and nothing else, to see what a durability survives.
 *
 * @param synced {@code log.durability=fsync}
 * @param together all machines at the same moment, else one at a time, each back before the next
 */
record Trial(boolean synced, Machine.Crash crash, boolean together) {}
