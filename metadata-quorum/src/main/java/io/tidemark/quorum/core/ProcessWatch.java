package io.tidemark.quorum.core;

import io.tidemark.model.MonoTime;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What an idle connection to the inter-broker listener of every unfenced broker says about the process behind it (B5).
 * A kernel refuses connections for a process that is gone, and accepts them for one that is merely paused; so a refusal
 * together with silence is a death, and everything else is left to the session timer.
 *
 * <pre>
 * state     event                                    next
 * Trying    connected                                Open
 * Trying    refused                                  Lost as of now, with this as its first refusal
 * Trying    failed (timeout, unreachable)            Trying, again after a second
 * Open      closed                                   Lost as of now, connect at once
 * Lost      connected                                Open: undecided
 * Lost      refused                                  Lost, one refusal more, again after 100 ms
 * Lost      failed                                   Trying: undecided
 * Lost      first heartbeat                          Lost as of now, no refusals, needs two intervals of silence
 * Lost      another within half an interval          Lost as of now: they had queued together
 * Lost      a later one                              Doubted
 * Lost      two refusals and an interval of silence  Gone: fence it
 * Doubted   connected                                Open
 * Doubted   refused, failed                          Doubted, again after a second
 * Gone      heartbeat                                Doubted
 * any       fenced, or another incarnation           forgotten
 * </pre>
 *
 * A first heartbeat after the loss may have been on its way when the process died, and with it what had queued before a
 * busy controller; two that come at their interval are from a live one, which a firewall hides. In Trying and Doubted the
 * fast path is off.
 *
 * <p>Not safe for use by several threads; its owner serializes the calls. Times are monotonic.
 */
public final class ProcessWatch {
    /** Between two attempts to connect while a death may show, milliseconds. */
    static final long RETRY_MS = 100;
    /** Between two attempts where nothing is expected of them soon, milliseconds. */
    static final long SLOW_RETRY_MS = 1_000;

    private static final int REFUSALS = 2;

    /** What the shell is to do about one broker's connection. */
    public sealed interface Order {
        /** Open a connection, in place of any other to that broker id. */
        record Connect(BrokerRef broker, Endpoint to) implements Order {}

        /** Ask something on the open connection that a live process answers at once. */
        record Ask(BrokerRef broker) implements Order {}

        record Disconnect(BrokerRef broker) implements Order {}

        /** These processes are gone: fence them by one decision (B4). */
        record Fence(List<BrokerRef> brokers, String reason) implements Order {}
    }

    /** What became of a connection or of an attempt. */
    public enum Event {
        CONNECTED,
        /** The other host said that nobody listens. */
        REFUSED,
        /** No connection, and no word about the process: a timeout, no route, no address. */
        FAILED,
        /** An open connection ended, in whatever way. */
        CLOSED,
        /** Bytes arrived on an open connection. */
        ANSWERED
    }

    private sealed interface State {
        record Trying(String why) implements State {}

        /**
         * @param confirmed a heartbeat of the incarnation came after it was opened: it is not its successor's
         * @param asked when the last question was put, or null; {@code answered} when bytes last arrived, or null
         */
        record Open(boolean confirmed, MonoTime asked, MonoTime answered) implements State {}

        /**
         * @param since the loss, or when a heartbeat last arrived after it
         * @param heard when a heartbeat first arrived after the loss, or null
         */
        record Lost(MonoTime since, MonoTime heard, int refusals) implements State {}

        record Doubted() implements State {}

        record Gone() implements State {}
    }

    private static final class Watched {
        final BrokerRef broker;
        final Endpoint endpoint;
        State state = new State.Trying("not connected yet");
        boolean attemptUnderWay;
        boolean mustAsk;
        MonoTime lastAttempt;
        MonoTime nextAttempt;

        Watched(BrokerRef broker, Endpoint endpoint, MonoTime now) {
            this.broker = broker;
            this.endpoint = endpoint;
            this.lastAttempt = now;
            this.nextAttempt = now;
        }

        void retry(MonoTime at) {
            attemptUnderWay = false;
            nextAttempt = at;
        }
    }

    private final long intervalMs;
    private final long patienceMs;
    private final long tickMs;
    private final Map<Integer, Watched> watched = new TreeMap<>();
    private MonoTime lastStep;

    /**
     * @param sessionMs of brokers, milliseconds; a live process answers a question within a quarter of it
     * @param intervalMs between heartbeats, milliseconds, 1 to a quarter of a session
     * @param tickMs {@link #step} is called at least this often; being late by more than a quarter of a session
     *     starts every silence anew, since heartbeats may wait unheard
     */
    public ProcessWatch(long sessionMs, long intervalMs, long tickMs) {
        this.intervalMs = intervalMs;
        this.patienceMs = Math.max(1, sessionMs / 4);
        this.tickMs = tickMs;
    }

    /** A term as the acting controller begins: nothing is known of any process. */
    public void activate(MonoTime now) {
        watched.clear();
        lastStep = now;
    }

    /** What to do now; to be called again at {@link #nextStep} or earlier. */
    public List<Order> step(ClusterImage image, MonoTime now) {
        List<Order> orders = new ArrayList<>();
        forgiveLateness(now);
        align(image, now, orders);
        List<BrokerRef> gone = new ArrayList<>();
        for (Watched one : watched.values()) {
            if (one.state instanceof State.Lost lost && isGone(lost, now)) {
                one.state = new State.Gone();
                gone.add(one.broker);
            }
            if (attempts(one) && now.compareTo(one.nextAttempt) >= 0) {
                one.attemptUnderWay = true;
                one.lastAttempt = now;
                orders.add(new Order.Connect(one.broker, one.endpoint));
            } else if (one.mustAsk) {
                orders.add(new Order.Ask(one.broker));
            }
            one.mustAsk = false;
        }
        if (!gone.isEmpty()) {
            orders.add(new Order.Fence(gone, FenceReasons.PROCESS_GONE));
        }
        return orders;
    }

    private static boolean attempts(Watched one) {
        return !one.attemptUnderWay && !(one.state instanceof State.Open) && !(one.state instanceof State.Gone);
    }

    private boolean isGone(State.Lost lost, MonoTime now) {
        return lost.refusals() >= REFUSALS && now.since(lost.since()) >= silenceMs(lost);
    }

    private long silenceMs(State.Lost lost) {
        return lost.heard() != null ? 2 * intervalMs : intervalMs;
    }

    private void forgiveLateness(MonoTime now) {
        if (now.since(lastStep) - tickMs > patienceMs) {
            for (Watched one : watched.values()) {
                if (one.state instanceof State.Lost lost) {
                    one.state = new State.Lost(now, lost.heard() == null ? null : now, 0);
                } else if (one.state instanceof State.Open open && open.asked() != null) {
                    one.state = new State.Open(open.confirmed(), now, open.answered());
                }
            }
        }
        lastStep = now;
    }

    /** Watches exactly the unfenced incarnations, each where it is registered. */
    private void align(ClusterImage image, MonoTime now, List<Order> orders) {
        watched.values().removeIf(one -> {
            BrokerState broker = image.broker(one.broker.brokerId());
            boolean same = broker != null
                    && !broker.fenced()
                    && broker.epoch() == one.broker.brokerEpoch()
                    && one.endpoint.equals(broker.interBrokerEndpoint());
            if (!same) {
                orders.add(new Order.Disconnect(one.broker));
            }
            return !same;
        });
        for (BrokerState broker : image.brokers().values()) {
            if (!broker.fenced() && broker.interBrokerEndpoint() != null) {
                watched.computeIfAbsent(
                        broker.id(),
                        id -> new Watched(new BrokerRef(id, broker.epoch()), broker.interBrokerEndpoint(), now));
            }
        }
    }

    /** When {@link #step} has something to do at the latest. */
    public MonoTime nextStep() {
        MonoTime next = lastStep.plus(tickMs);
        for (Watched one : watched.values()) {
            if (attempts(one)) {
                next = earlier(next, one.nextAttempt);
            }
            if (one.state instanceof State.Lost lost && lost.refusals() >= REFUSALS) {
                next = earlier(next, lost.since().plus(silenceMs(lost)));
            }
        }
        return next;
    }

    private static MonoTime earlier(MonoTime left, MonoTime right) {
        return left.compareTo(right) <= 0 ? left : right;
    }

    /** Takes what happened to the connection of that incarnation; nothing if it is not watched any more. */
    public void happened(BrokerRef broker, Event event, MonoTime now) {
        Watched one = watched.get(broker.brokerId());
        if (one == null || !one.broker.equals(broker)) {
            return;
        }
        switch (event) {
            case CONNECTED -> {
                one.attemptUnderWay = false;
                if (!(one.state instanceof State.Gone)) {
                    one.state = new State.Open(false, null, null);
                }
            }
            case REFUSED -> refused(one, now);
            case FAILED -> {
                one.retry(now.plus(SLOW_RETRY_MS));
                if (one.state instanceof State.Lost || one.state instanceof State.Trying) {
                    one.state = new State.Trying("gives no answer to connection attempts");
                }
            }
            case CLOSED -> {
                if (one.state instanceof State.Open) {
                    one.state = new State.Lost(now, null, 0);
                    // At once, unless the last attempt was just now: a listener that accepts and closes is no hot loop.
                    one.retry(later(now, one.lastAttempt.plus(RETRY_MS)));
                }
            }
            case ANSWERED -> {
                if (one.state instanceof State.Open open) {
                    one.state = new State.Open(open.confirmed(), open.asked(), now);
                }
            }
        }
    }

    private static void refused(Watched one, MonoTime now) {
        if (one.state instanceof State.Trying) {
            one.state = new State.Lost(now, null, 1);
        } else if (one.state instanceof State.Lost lost) {
            one.state = new State.Lost(lost.since(), lost.heard(), lost.refusals() + 1);
        }
        one.retry(now.plus(one.state instanceof State.Lost ? RETRY_MS : SLOW_RETRY_MS));
    }

    private static MonoTime later(MonoTime left, MonoTime right) {
        return left.compareTo(right) >= 0 ? left : right;
    }

    /** A heartbeat of the registered incarnation was taken. */
    public void heartbeat(BrokerRef broker, MonoTime now) {
        Watched one = watched.get(broker.brokerId());
        if (one == null || !one.broker.equals(broker)) {
            return;
        }
        if (one.state instanceof State.Open open && !open.confirmed()) {
            one.state = new State.Open(true, open.asked(), open.answered());
        } else if (one.state instanceof State.Lost lost && lost.heard() == null) {
            one.state = new State.Lost(now, now, 0);
        } else if (one.state instanceof State.Lost lost && now.since(lost.heard()) < intervalMs / 2) {
            one.state = new State.Lost(now, lost.heard(), lost.refusals());
        } else if (one.state instanceof State.Lost || one.state instanceof State.Gone) {
            one.state = new State.Doubted();
            one.nextAttempt = later(one.nextAttempt, now);
        }
    }

    /**
     * Whether the registered incarnation of that broker must be taken to answer on its open connection, so that another
     * one may not take over. The first time it is asked; until the answer is there or a quarter of a session has passed
     * this is true. A connection that no heartbeat has followed may be to its successor and says nothing.
     */
    public boolean stillAnswers(int brokerId, MonoTime now) {
        Watched one = watched.get(brokerId);
        if (one == null || !(one.state instanceof State.Open open) || !open.confirmed()) {
            return false;
        }
        if (open.answered() != null && now.since(open.answered()) < patienceMs) {
            return true;
        }
        boolean pending = open.asked() != null
                && (open.answered() == null || open.answered().compareTo(open.asked()) < 0);
        if (!pending) {
            one.state = new State.Open(true, now, open.answered());
            one.mustAsk = true;
            return true;
        }
        return now.since(open.asked()) < patienceMs;
    }

    /** Watched brokers whose death only the session timer would show, and why, by id. */
    public Map<Integer, String> fastPathOff() {
        Map<Integer, String> off = new TreeMap<>();
        for (Watched one : watched.values()) {
            if (one.state instanceof State.Trying trying) {
                off.put(one.broker.brokerId(), trying.why());
            } else if (one.state instanceof State.Doubted) {
                off.put(one.broker.brokerId(), "refuses connections while its heartbeats arrive");
            }
        }
        return off;
    }
}
