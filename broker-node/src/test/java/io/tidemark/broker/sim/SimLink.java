package io.tidemark.broker.sim;

import io.tidemark.broker.api.RecordBytes;
import io.tidemark.broker.net.RegionRecords;
import io.tidemark.broker.peer.PeerCallback;
import io.tidemark.broker.peer.PeerLink;
import io.tidemark.broker.peer.PeerResponse;
import java.io.IOException;
import java.util.ArrayDeque;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FetchResponse;

/**
 * A connection of one process to another: requests and answers arrive in order or the connection ends. What was sent may
 * still be acted on after its end.
 */
final class SimLink implements PeerLink {
    private static final long REQUEST_TIMEOUT_MICROS = 2_000_000;
    private static final long REFUSED_MICROS = 400;

    private final Simulation sim;
    private final Process from;
    /** The loop that the connection belongs to here. */
    private final SimLoop loop;

    private final int to;
    private final ArrayDeque<Pending> pending = new ArrayDeque<>();
    /** The process at the other end, known from the first request on. */
    private Process peer;

    /** The loop that it belongs to there. */
    private int peerLoop;

    private boolean ended;
    private long lastArrival;
    private long lastReturn;

    private static final class Pending {
        private final PeerCallback callback;
        private boolean done;
        private boolean arrived;
        private AbstractResponse response;

        private Pending(PeerCallback callback) {
            this.callback = callback;
        }
    }

    SimLink(Simulation sim, Process from, SimLoop loop, int to) {
        this.sim = sim;
        this.from = from;
        this.loop = loop;
        this.to = to;
    }

    @Override
    public boolean usable() {
        return !ended;
    }

    @Override
    public void close() {
        end("closed here");
    }

    private void end(String why) {
        if (ended) {
            return;
        }
        ended = true;
        sim.trace().note("link ends", from.id(), to, why);
        for (Pending waiting : pending) {
            fail(waiting, why);
        }
        pending.clear();
    }

    private void fail(Pending waiting, String why) {
        if (!waiting.done) {
            waiting.done = true;
            loop.later(1, () -> waiting.callback.failed(new IOException(why)));
        }
    }

    @Override
    public void send(AbstractRequest request, PeerCallback callback) {
        Pending waiting = new Pending(callback);
        if (ended) {
            fail(waiting, "the link has ended");
            return;
        }
        pending.add(waiting);
        Network.Fate drawn = sim.network().fate(from.id(), to);
        Network.Fate fate = drawn == Network.Fate.TWICE ? Network.Fate.DELIVERED : drawn;
        long now = sim.queue().now();
        if (fate != Network.Fate.DELIVERED) {
            sim.trace().note("link trouble", from.id(), to, request.apiKey().name, fate.name());
        }
        if (fate == Network.Fate.LATE) {
            lastArrival = Math.max(lastArrival, now + sim.network().lateness());
            arriveAt(lastArrival, request, waiting, false);
            loop.later(sim.chance().delay(500, 20_000), () -> end("reset"));
        } else if (fate == Network.Fate.LOST) {
            // Everything after it on this connection is lost too.
            lastArrival = Long.MAX_VALUE;
        } else if (lastArrival < Long.MAX_VALUE) {
            lastArrival = Math.max(lastArrival, now + sim.network().delay(from.id(), to));
            arriveAt(lastArrival, request, waiting, fate == Network.Fate.DELIVERED);
        }
        sim.queue().after(REQUEST_TIMEOUT_MICROS, () -> {
            if (!waiting.done && from.alive()) {
                end("request timeout");
            }
        });
    }

    private void arriveAt(long at, AbstractRequest request, Pending waiting, boolean answered) {
        sim.queue().at(at, () -> {
            Process there = sim.machine(to).process();
            if (peer == null) {
                peer = there;
                peerLoop = there == null ? 0 : there.anyLoop();
            }
            if (there == null || !there.listening() || there != peer) {
                loop.later(REFUSED_MICROS, () -> end("refused"));
                return;
            }
            there.serve(peerLoop, request, response -> {
                AbstractResponse inMemory = inMemory(response);
                if (!answered || !sim.network().reaches(to, from.id())) {
                    lastReturn = Long.MAX_VALUE;
                }
                if (lastReturn == Long.MAX_VALUE) {
                    return;
                }
                lastReturn =
                        Math.max(lastReturn, sim.queue().now() + sim.network().delay(to, from.id()));
                loop.at(lastReturn, () -> answered(waiting, inMemory));
            });
        });
    }

    private void answered(Pending waiting, AbstractResponse response) {
        waiting.arrived = true;
        waiting.response = response;
        // A pause that ends early must not let one overtake another.
        while (!pending.isEmpty() && pending.peek().arrived) {
            Pending first = pending.poll();
            if (first.done) {
                continue;
            }
            if (first.response == null) {
                end("closed there");
                return;
            }
            first.done = true;
            first.callback.answered(new Response(first.response));
        }
    }

    /** The records leave their files when they are sent, not when they arrive. */
    static AbstractResponse inMemory(AbstractResponse response) {
        if (response instanceof FetchResponse fetch) {
            for (FetchResponseData.FetchableTopicResponse topic : fetch.data().responses()) {
                for (FetchResponseData.PartitionData row : topic.partitions()) {
                    if (row.records() instanceof RegionRecords regions) {
                        try {
                            row.setRecords(RecordBytes.take(regions));
                        } catch (IOException e) {
                            // The connection breaks in the middle of the answer.
                            return null;
                        }
                    }
                }
            }
        }
        return response;
    }

    private record Response(AbstractResponse body) implements PeerResponse {
        @Override
        public void retainFrame() {}

        @Override
        public void releaseFrame() {}

        @Override
        public int heldBytes() {
            return 0;
        }
    }
}
