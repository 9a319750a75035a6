/**
 * One handler per Kafka API: from a parsed request to what the cluster's image, the quorum or the partitions say, and
 * back. Handlers keep no state between requests and never block; all of them answer errors that a client can name, and
 * leave what cannot be parsed to {@code broker.net}, which closes the connection.
 */
package io.tidemark.broker.api;
