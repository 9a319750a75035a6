/** The same work on any cluster that speaks Kafka's protocol, measured from outside: its clients and its processes. */
package io.tidemark.broker.drill.bench;
