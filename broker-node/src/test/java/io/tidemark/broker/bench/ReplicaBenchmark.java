package io.tidemark.broker.bench;

import io.tidemark.broker.replica.BrokerView;
import io.tidemark.broker.replica.Effects;
import io.tidemark.broker.replica.ProducerVerdict;
import io.tidemark.broker.replica.Replica;
import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.broker.replica.ReplicaSettings;
import io.tidemark.broker.replica.SessionClock;
import io.tidemark.model.EpochHistory;
import io.tidemark.model.MonoTime;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.PartitionState;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** What the leader's rules cost, without network and disk: one step per event, three replicas. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class ReplicaBenchmark {
    private static final int MANY = 1000;
    private static final int SELF = 1;
    private static final int EPOCH = 1;
    private static final MonoTime NOW = new MonoTime(1_000_000);
    private static final Map<Integer, BrokerView> BROKERS =
            Map.of(1, new BrokerView(1, 11, true), 2, new BrokerView(2, 12, true), 3, new BrokerView(3, 13, true));

    private final SessionClock second = new SessionClock();
    private final SessionClock third = new SessionClock();
    private Replica appended;
    private Replica replicated;
    private Replica[] idle;
    private long token;

    @Setup
    public void lead() {
        second.fetched(NOW.ms(), 12);
        third.fetched(NOW.ms(), 13);
        appended = leader(0);
        replicated = leader(1);
        idle = new Replica[MANY];
        for (int i = 0; i < MANY; i++) {
            idle[i] = leader(2 + i);
        }
    }

    /** A produce that waits for nobody, and the end of its write. */
    @Benchmark
    public Effects append() {
        produce(appended, (short) 1);
        return appended.step(NOW, new ReplicaEvent.Written(appended.stagedEnd()));
    }

    /** A produce of acks=all from request to answer: written, fetched by both followers, the mark moves. */
    @Benchmark
    public Effects appendUntilTheMarkMoves() {
        produce(replicated, (short) -1);
        replicated.step(NOW, new ReplicaEvent.Written(replicated.stagedEnd()));
        long end = replicated.logEnd();
        fetch(replicated, 2, second, end);
        Effects effects = fetch(replicated, 3, third, end);
        if (replicated.highWatermark() != end) {
            throw new IllegalStateException("the mark did not move");
        }
        return effects;
    }

    @Benchmark
    public Effects followerFetchOfOnePartition() {
        return fetch(idle[0], 2, second, 0);
    }

    @Benchmark
    public void followerFetchOfAThousandPartitions(Blackhole hole) {
        for (Replica replica : idle) {
            hole.consume(fetch(replica, 2, second, 0));
        }
    }

    private void produce(Replica replica, short acks) {
        replica.step(NOW, new ReplicaEvent.ProduceRequested(++token, acks, Long.MAX_VALUE, 1, ProducerVerdict.FRESH));
    }

    private Effects fetch(Replica replica, int follower, SessionClock clock, long offset) {
        return replica.step(
                NOW,
                new ReplicaEvent.FollowerFetch(
                        ++token, follower, EPOCH, offset, offset == 0 ? -1 : EPOCH, 0, clock, true));
    }

    private static Replica leader(int partition) {
        PartitionId id = new PartitionId(new TopicId(7, 7), partition);
        Replica replica = new Replica(id, ReplicaSettings.defaults(SELF), 0, 0, 0, EpochHistory.EMPTY);
        PartitionState state = new PartitionState(
                id,
                List.of(1, 2, 3),
                List.of(1, 2, 3),
                List.of(),
                List.of(),
                SELF,
                EPOCH,
                1,
                false,
                List.of(),
                List.of(),
                Floor.NONE,
                List.of(),
                2);
        replica.step(NOW, new ReplicaEvent.MetadataChanged(state, BROKERS, 1));
        return replica;
    }
}
