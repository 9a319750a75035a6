/**
 * One partition's log on disk: segments of Kafka v2 batches, their recovery, truncation and retention, and the state of
 * idempotent producers. Files are reached only through {@link io.tidemark.broker.log.Disk}, the derived index only
 * through {@link io.tidemark.broker.log.OffsetIndex}; the on-disk format is described in {@code FORMAT.md}.
 *
 * <p>A {@link io.tidemark.broker.log.SegmentLog} has one writer and no locks. <b>Loop</b> methods never wait for more
 * than a page-cache read or write and are called by the partition's loop. <b>Blocking</b> methods may sync, create,
 * delete or query the index; the owner pauses the partition, calls them elsewhere, and resumes it afterwards.
 */
package io.tidemark.broker.log;
