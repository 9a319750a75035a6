/**
 * Sockets and frames: from bytes to parsed requests and from responses to bytes, on event loops that also host the
 * partitions. With {@code broker.peer} the only importer of Netty; {@link io.tidemark.broker.net.Call} and
 * {@link io.tidemark.broker.net.LoopHost} show none of it.
 *
 * <p>Frames: a socket is read straight into one right-sized direct buffer of a per-loop free list ({@link
 * io.tidemark.broker.net.FramePool}); parsed requests share its bytes (records of a Produce), see {@link
 * io.tidemark.broker.net.Frame}. Writes never flush by themselves: the {@link io.tidemark.broker.net.LoopHost} flushes
 * each connection once per turn.
 */
package io.tidemark.broker.net;
