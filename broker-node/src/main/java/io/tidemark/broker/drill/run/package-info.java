/** Runs a drill: a cluster, a load, faults in time, and what became of it. */
package io.tidemark.broker.drill.run;
