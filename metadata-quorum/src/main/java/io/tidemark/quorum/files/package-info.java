/**
 * What is on a controller's disk, read without touching it: log segments, snapshots and the kept history. Nothing here
 * writes or locks, so the files may be those of a running, a dead or a half-written node. Whatever cannot be read is a
 * {@link io.tidemark.quorum.files.Finding} with file and position, and the reading goes on behind it.
 */
package io.tidemark.quorum.files;
