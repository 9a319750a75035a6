/**
 * The decisions of the acting controller, as pure functions: from the image the decision is based on and a command to
 * the records that carry it out and the answer to whoever asked.
 *
 * <ol>
 *   <li>Nothing here reads a clock, a file, a socket or a source of chance, and nothing here waits: time, liveness and
 *       a seed come in with each call.
 *   <li>A decision never changes state. Only the fold of its records ({@link
 *       io.tidemark.model.metadata.ClusterImage#apply}) does, on every replica alike.
 *   <li>A command that cannot be carried out is answered, never thrown: no records and a refusal, or an error in its row.
 *   <li>Every change of a partition is built by {@link io.tidemark.quorum.core.PartitionChange}, so that the rules on
 *       ISR, ELR, leader and epochs stand in one place.
 * </ol>
 *
 * The rules and their numbers are in RULES.md of this module.
 */
package io.tidemark.quorum.core;
