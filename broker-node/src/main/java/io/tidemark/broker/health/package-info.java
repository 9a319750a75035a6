/**
 * What a broker tells of itself to operators: why a partition stands as it does (B11), its metrics under Kafka's names
 * (R9.10-R9.15), whether it is alive and ready, and what may become a problem. It asks the loops and changes nothing.
 */
package io.tidemark.broker.health;
