/**
 * A broker's link to the quorum of controllers: commands to the acting one, heartbeats, and the metadata log as a stream
 * of images. The only importer of Ratis in this module; brokers are clients of the quorum, not members.
 */
package io.tidemark.broker.quorum;
