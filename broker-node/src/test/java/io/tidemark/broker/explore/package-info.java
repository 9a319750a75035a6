/**
 * Breadth-first exploration of the real cores: every order of events of a small cluster, within bounds.
 *
 * <p>The controller's decisions, the fold and the replicas are the production classes. A step of one broker or of the
 * controllers is a function of its state and one event, so each is executed once for each such pair and remembered; a state
 * of the whole is a handful of numbers that name the states of its parts ({@link io.tidemark.broker.explore.Cluster}). A
 * broker in a given state is made by giving a new one the events that led there
 * ({@link io.tidemark.broker.explore.Brokers}), for a replica cannot be copied.
 */
package io.tidemark.broker.explore;
