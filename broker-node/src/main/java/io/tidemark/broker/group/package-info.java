/**
 * Consumer groups: the adapter between Kafka's group coordinator and the partitions of {@code __consumer_offsets} that
 * this broker leads. A partition's coordinator lives for one leader epoch: it is loaded from the log of that epoch, is
 * answered from only when all it was loaded from is committed, and writes in that epoch or not at all.
 */
package io.tidemark.broker.group;
