/**
 * Runs scenario files: real replicas, logs and controller decisions, with the network, the disks, the quorum and the clock in
 * the hands of a script. docs/SCENARIOS.md is the list of verbs.
 */
package io.tidemark.broker.scenario;
