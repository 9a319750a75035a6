package io.tidemark.broker.explore;

import io.tidemark.broker.replica.Effect;
import io.tidemark.broker.replica.FetchPosition;
import io.tidemark.broker.replica.LeaderLease;
import io.tidemark.broker.replica.ProducerVerdict;
import io.tidemark.broker.replica.Replica;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.broker.replica.ReplicaSettings;
import io.tidemark.broker.replica.SessionClock;
import io.tidemark.model.Check;
import io.tidemark.model.EpochAndOffset;
import io.tidemark.model.EpochHistory;
import io.tidemark.model.MonoTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A running broker: the real replica over the model of a log. It obeys the effects at once; what leaves it is kept for the
 * step at hand.
 */
final class Broker {
    /** Far from every other number, so that {@link StateCode} tells times from offsets and epochs. */
    static final long CLOCK_START = 1L << 50;

    static final long LAG_MS = 1000;

    final int id;
    final long epoch;
    private final Images images;
    private final Replica replica;
    private final List<Integer> records;
    private EpochHistory epochs;
    /** The sessions of followers, by id; of the incarnation that fetched last. */
    private final Map<Integer, SessionClock> sessions = new TreeMap<>();

    private long nowMs = CLOCK_START;
    private int image = -1;
    private long token;
    private List<Integer> atHand = List.of();

    /** What the last step sent. */
    private final List<Effect.SendAlter> sent = new ArrayList<>();
    /** What the last step said to a fetch, or null. */
    private Effect read;

    Broker(Images images, Input.Start start) {
        this.images = images;
        this.id = start.id();
        this.epoch = start.epoch();
        this.records = new ArrayList<>(start.log().records());
        this.epochs = start.log().epochs();
        // Pauses have no length: what is to be tried again may be tried again at any moment.
        ReplicaSettings settings = new ReplicaSettings(id, LAG_MS, 0, 0, 0, 0, LeaderLease.endless());
        this.replica = new Replica(images.partition, settings, 0, records.size(), start.mark(), epochs);
    }

    void handle(Input input) {
        sent.clear();
        read = null;
        boolean led = replica.leads();
        int ledEpoch = led ? replica.state().leaderEpoch() : -1;
        long mark = replica.highWatermark();
        take(input);
        boolean leadsOn = led && replica.leads() && replica.state().leaderEpoch() == ledEpoch;
        if (leadsOn && replica.highWatermark() < mark) {
            throw new Breach("R3.1: the mark of leader " + id + " goes down");
        }
        if (leadsOn && replica.highWatermark() > mark && replica.state().underMinIsr()) {
            throw new Breach("I1: the mark of leader " + id + " rises below the min ISR");
        }
    }

    private void take(Input input) {
        if (input instanceof Input.Learn learn) {
            for (ReplicaEvent event : images.news(image, learn.image(), id)) {
                step(event);
            }
            image = learn.image();
        } else if (input instanceof Input.Serve serve) {
            serve(serve);
        } else if (input instanceof Input.Receive answer) {
            receive(answer);
        } else if (input instanceof Input.Append) {
            step(new ReplicaEvent.ProduceRequested(token++, (short) 1, Long.MAX_VALUE, 1, ProducerVerdict.FRESH));
        } else if (input instanceof Input.Tick) {
            step(new ReplicaEvent.Tick());
        } else if (input instanceof Input.Lapse) {
            nowMs += LAG_MS + 1;
        } else if (input instanceof Input.Answered answered) {
            step(answered.event());
        } else {
            throw new Check.Violation("nobody knows what to do with " + input);
        }
    }

    private void serve(Input.Serve serve) {
        SessionClock clock = serve.late() ? null : sessions.get(serve.follower());
        if (clock == null || clock.brokerEpoch() != serve.epoch()) {
            clock = new SessionClock();
            if (!serve.late()) {
                sessions.put(serve.follower(), clock);
            }
        }
        clock.fetched(nowMs, serve.epoch());
        FetchPosition position = serve.position();
        step(new ReplicaEvent.FollowerFetch(
                0,
                serve.follower(),
                position.leaderEpoch(),
                position.offset(),
                position.lastFetchedEpoch(),
                position.logStart(),
                clock,
                true));
    }

    private void receive(Input.Receive answer) {
        List<ReplicaEvent.FetchedBatch> batches = new ArrayList<>();
        for (int i = 0; i < answer.records().size(); i++) {
            long offset = answer.offset() + i;
            batches.add(new ReplicaEvent.FetchedBatch(
                    offset, offset, answer.records().get(i), i, i + 1));
        }
        atHand = answer.records();
        step(new ReplicaEvent.FetchAnswered(
                answer.leaderEpoch(), answer.offset(), answer.error(), answer.diverging(), answer.mark(), 0, batches));
    }

    private void step(ReplicaEvent event) {
        for (Effect effect : replica.step(new MonoTime(nowMs), event).list()) {
            obey(effect);
        }
        if (replica.stagedEnd() > replica.logEnd()) {
            step(new ReplicaEvent.Written(replica.stagedEnd()));
        }
    }

    private void obey(Effect effect) {
        if (effect instanceof Effect.Stage stage) {
            write(stage.baseOffset(), List.of(stage.epoch()));
        } else if (effect instanceof Effect.StageFetched fetched) {
            write(records.size(), atHand.subList(fetched.from(), fetched.to()));
        } else if (effect instanceof Effect.PersistEpochs persist) {
            epochs = persist.epochs();
        } else if (effect instanceof Effect.Truncate cut) {
            int end = (int) Math.min(cut.offset(), records.size());
            records.subList(end, records.size()).clear();
            epochs = epochs.truncateFromEnd(end);
            step(new ReplicaEvent.LogTruncated(0, end, epochs));
        } else if (effect instanceof Effect.SendAlter alter) {
            sent.add(alter);
        } else if (effect instanceof Effect.ReadAllowed
                || effect instanceof Effect.ReadDiverges
                || effect instanceof Effect.ReadRefused) {
            read = effect;
        } else if (effect instanceof Effect.TruncateFully
                || effect instanceof Effect.AskLeaderOffsets
                || effect instanceof Effect.RaiseLogStart) {
            throw new Breach("no log starts above 0 here, and nothing is out of range: " + effect);
        }
    }

    private void write(long offset, List<Integer> written) {
        Check.that(offset == records.size(), "appends go to the end", offset, records.size());
        records.addAll(written);
    }

    /** What the fetch that was served in this step is answered. */
    Input.Receive answer(FetchPosition position) {
        if (read instanceof Effect.ReadAllowed allowed) {
            return answer(
                    position,
                    ReplicaError.NONE,
                    EpochAndOffset.UNDEFINED,
                    allowed.highWatermark(),
                    records.subList((int) position.offset(), (int) allowed.limit()));
        }
        if (read instanceof Effect.ReadDiverges diverges) {
            EpochAndOffset diverging = new EpochAndOffset(diverges.epoch(), diverges.endOffset());
            return answer(position, ReplicaError.NONE, diverging, diverges.highWatermark(), List.of());
        }
        ReplicaError error = ((Effect.ReadRefused) read).error();
        return answer(position, error, EpochAndOffset.UNDEFINED, -1, List.of());
    }

    private static Input.Receive answer(
            FetchPosition position, ReplicaError error, EpochAndOffset diverging, long mark, List<Integer> records) {
        return new Input.Receive(position.leaderEpoch(), position.offset(), error, diverging, mark, records);
    }

    List<Effect.SendAlter> sent() {
        return sent;
    }

    RecordLog log() {
        return new RecordLog(records, epochs);
    }

    Replica replica() {
        return replica;
    }

    /** The image learned last, -1 before the first. */
    int image() {
        return image;
    }

    /** What it would ask its leader now; null if it follows nobody. */
    FetchPosition position() {
        return replica.fetchPosition(new MonoTime(nowMs));
    }

    /** Everything that decides on what it does from here on. */
    void encode(StateCode code) {
        code.now(nowMs);
        code.put(id);
        code.put(epoch);
        code.put(image);
        code.put(records);
        code.put(epochs);
        code.put(sessions);
        code.put(replica);
    }
}
