/** The client side of broker-to-broker traffic: one connection on a given loop, in Kafka's own requests. */
package io.tidemark.broker.peer;
