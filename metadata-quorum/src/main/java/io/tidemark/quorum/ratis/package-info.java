/**
 * The quorum's shell on Apache Ratis: one replicated log of metadata entries, decided on by the leader just before they
 * are appended and folded by everybody ({@link io.tidemark.quorum.ratis.MetadataStateMachine}). Nothing here judges
 * epochs, in-sync sets or offsets; that is {@code quorum.core}, behind {@link io.tidemark.quorum.ratis.DecisionMaker}.
 */
package io.tidemark.quorum.ratis;
