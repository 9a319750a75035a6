/**
 * What a node of any role tells operators over HTTP and JMX: whether it is alive and ready, and its metrics under Kafka's
 * names (R9.10-R9.15). Nothing here is on the way of a record: values are read when somebody asks.
 */
package io.tidemark.model.health;
