/**
 * Whole clusters on virtual time from one seed: the real partition loops, segment logs, handlers and controller core over
 * a simulated network, disk and metadata log, with faults that the cluster must survive and checks of what it promises.
 */
package io.tidemark.broker.sim;
