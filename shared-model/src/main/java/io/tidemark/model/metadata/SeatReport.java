package io.tidemark.model.metadata;

import io.tidemark.model.EpochHistory;
import io.tidemark.model.PartitionId;

/** What a returning broker's log holds, read after recovery and before any append, truncation or fetch (B1, rule 5). */
public record SeatReport(int brokerId, PartitionId partition, long logStart, long logEnd, EpochHistory epochs) {}
