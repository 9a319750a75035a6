package io.tidemark.broker.log;

/**
 * A log after recovery. {@code highWatermark} is the checkpointed one within the log's bounds (R3.16); {@code cut} says
 * that recovery removed bytes from the end, so that the log may not be called intact (B1).
 */
public record OpenedLog(SegmentLog log, long highWatermark, boolean cut) {}
