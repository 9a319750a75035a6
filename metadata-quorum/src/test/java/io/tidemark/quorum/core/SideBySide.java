package io.tidemark.quorum.core;

import io.tidemark.model.EpochHistory;
import io.tidemark.model.MonoTime;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.BalanceLeaders.Balance;
import io.tidemark.model.metadata.QuorumCommand.IsrMember;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.SeatReport;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.controller.KafkaOracle;
import org.apache.kafka.controller.KafkaOracle.View;

/**
 * Our controller and Kafka's, told the same steps, and compared after each: error code, brokers, and every partition's
 * leader, epochs, replicas, ISR, ELR and last-known leader. A difference that {@link IntendedDifferences} explains is
 * counted, and Kafka goes on from our state; any other is an {@link UnexplainedException}.
 */
final class SideBySide {
    static final int BROKERS = 5;
    private static final long SESSION_MS = 1_000;

    /** The two do not agree, and nobody meant it so. */
    static final class UnexplainedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        UnexplainedException(String message) {
            super(message);
        }
    }

    final TestCluster ours;
    final KafkaOracle kafka = new KafkaOracle();
    /** How often each intended difference was met. */
    final Map<String, Integer> explained;

    /** How often each answer was given, by kind of step. */
    final Map<String, Integer> answers;

    private final BrokerLiveness liveness = new BrokerLiveness(SESSION_MS);
    /** By broker epoch: what a broker has applied never goes back. */
    private final Map<Long, Long> reported = new HashMap<>();

    private long nowMs = 1;

    SideBySide(Map<String, Integer> explained, Map<String, Integer> answers) {
        this.explained = explained;
        this.answers = answers;
        ours = TestCluster.bootstrapped(Map.of());
        kafka.setConfig(null, ClusterImage.MIN_ISR_KEY, "1");
        run(new Step.Config(null, ClusterImage.MIN_ISR_KEY, "1"));
        liveness.activate(1, ours.image, now());
    }

    SideBySide() {
        this(new TreeMap<>(), new TreeMap<>());
    }

    private MonoTime now() {
        return new MonoTime(nowMs);
    }

    /** Tells both; throws if they differ and should not. */
    void run(Step step) {
        ClusterImage before = ours.image;
        Map<String, Integer> kafkaMin = new HashMap<>();
        before.topics().values().forEach(topic -> kafkaMin.put(topic.name(), kafka.effectiveMinIsr(topic.name())));
        int ourError = tellOurs(step);
        int kafkaError = tellKafka(step, ourError);
        answers.merge(step.getClass().getSimpleName() + " " + ErrorCode.of(ourError), 1, Integer::sum);
        if (ourError != kafkaError) {
            String why = IntendedDifferences.ofErrors(step, ourError, kafkaError, before, kafkaMin);
            if (why == null) {
                throw new UnexplainedException(
                        step + ": ours answers " + ErrorCode.of(ourError) + ", Kafka " + kafkaError);
            }
            explained.merge(why, 1, Integer::sum);
        }
        compareBrokers(step);
        comparePartitions(step, before, kafkaMin, ourError != kafkaError);
    }

    private void compareBrokers(Step step) {
        for (int id = 1; id <= BROKERS; id++) {
            BrokerState broker = ours.image.broker(id);
            KafkaOracle.Broker mine = broker == null
                    ? null
                    : new KafkaOracle.Broker(broker.epoch(), broker.fenced(), broker.shuttingDown());
            if (!Objects.equals(mine, kafka.broker(id))) {
                throw new UnexplainedException(
                        step + ": broker " + id + " is with us " + mine + ", with Kafka " + kafka.broker(id));
            }
        }
    }

    private void comparePartitions(
            Step step, ClusterImage before, Map<String, Integer> kafkaMin, boolean otherAnswers) {
        for (TopicState topic : ours.image.topics().values()) {
            for (PartitionState state : topic.partitions()) {
                View mine = view(state);
                View theirs = kafka.partition(topic.name(), state.id().partition());
                if (mine.equals(theirs)) {
                    continue;
                }
                PartitionState old = before.partition(state.id());
                if (theirs == null || old == null) {
                    throw new UnexplainedException(
                            step + ": " + topic.name() + " is with us " + mine + ", with Kafka " + theirs);
                }
                IntendedDifferences.Case difference = new IntendedDifferences.Case(
                        step,
                        topic.name(),
                        view(old),
                        state,
                        kafkaMin.get(topic.name()),
                        before,
                        ours.image,
                        otherAnswers);
                List<String> rules = new ArrayList<>();
                View meant = IntendedDifferences.meant(difference, theirs, rules);
                if (!meant.equals(mine)) {
                    throw new UnexplainedException(step + ": " + topic.name() + "-"
                            + state.id().partition() + "\n  before "
                            + view(old) + "\n  ours   " + mine + " min " + state.minIsr() + "\n  Kafka  " + theirs
                            + " min " + kafkaMin.get(topic.name()) + "\n  meant  " + meant + " by " + rules);
                }
                rules.forEach(rule -> explained.merge(rule, 1, Integer::sum));
                kafka.set(topic.name(), state.id().partition(), mine);
            }
            if (kafka.partition(topic.name(), topic.partitions().size()) != null) {
                throw new UnexplainedException(step + ": Kafka has more partitions of " + topic.name());
            }
        }
        for (TopicState topic : before.topics().values()) {
            if (ours.image.topic(topic.name()) == null && kafka.partition(topic.name(), 0) != null) {
                throw new UnexplainedException(step + ": Kafka still has " + topic.name());
            }
        }
    }

    /** A partition of ours in Kafka's terms; seats are sets, so they are sorted. */
    static View view(PartitionState state) {
        return new View(
                state.replicas(),
                state.adding(),
                state.removing(),
                state.isr(),
                List.copyOf(new TreeSet<>(state.elr())),
                state.lastKnownElr(),
                state.leader(),
                state.leaderEpoch(),
                state.partitionEpoch(),
                state.recovering());
    }

    // ---- ours ----

    private int tellOurs(Step step) {
        if (step instanceof Step.Register register) {
            return register(register);
        } else if (step instanceof Step.Heartbeat beat) {
            return heartbeat(beat);
        } else if (step instanceof Step.SessionsRunOut) {
            nowMs += 10 * SESSION_MS;
            return 0;
        } else if (step instanceof Step.Fence fence) {
            return error(new QuorumCommand.FenceBrokers(
                    fence.brokers().stream().map(ours::ref).toList(), ""));
        } else if (step instanceof Step.Unregister gone) {
            return error(new QuorumCommand.UnregisterBroker(gone.broker(), ""));
        } else if (step instanceof Step.Create create) {
            List<List<Integer>> assignment = create.assignment() == null ? List.of() : create.assignment();
            return error(new QuorumCommand.CreateTopics(
                    List.of(new QuorumCommand.NewTopic(
                            create.topic(),
                            create.partitions(),
                            create.replicationFactor(),
                            assignment,
                            create.configs())),
                    false,
                    ""));
        } else if (step instanceof Step.Grow grow) {
            List<List<Integer>> assignment = grow.assignment() == null ? List.of() : grow.assignment();
            return error(new QuorumCommand.CreatePartitions(
                    List.of(new QuorumCommand.Growth(grow.topic(), grow.count(), assignment)), false, ""));
        } else if (step instanceof Step.Delete delete) {
            return error(new QuorumCommand.DeleteTopics(
                    List.of(new QuorumCommand.TopicRef(delete.topic(), TopicId.ZERO)), ""));
        } else if (step instanceof Step.Config config) {
            ConfigResource resource =
                    config.topic() == null ? ConfigResource.CLUSTER_DEFAULT : ConfigResource.topic(config.topic());
            QuorumCommand.ConfigEdit edit = config.value() == null
                    ? new QuorumCommand.ConfigEdit(QuorumCommand.ConfigEdit.Kind.DELETE, config.key(), "")
                    : new QuorumCommand.ConfigEdit(QuorumCommand.ConfigEdit.Kind.SET, config.key(), config.value());
            return error(new QuorumCommand.AlterConfigs(
                    List.of(new QuorumCommand.ConfigChange(resource, false, List.of(edit))), false, ""));
        } else if (step instanceof Step.Alter alter) {
            List<IsrMember> isr = alter.isr().stream()
                    .map(member -> new IsrMember(member.brokerId(), member.brokerEpoch()))
                    .toList();
            IsrProposal proposal = new IsrProposal(
                    id(alter.topic(), alter.partition()),
                    alter.leaderEpoch(),
                    alter.partitionEpoch(),
                    isr,
                    alter.recovering(),
                    IsrProposal.Kind.CHANGE,
                    floor(alter.floor()),
                    "");
            return error(new QuorumCommand.AlterPartition(alter.sender(), alter.senderEpoch(), List.of(proposal)));
        } else if (step instanceof Step.Reassign reassign) {
            return error(new QuorumCommand.AlterReassignments(
                    List.of(new QuorumCommand.Reassignment(
                            id(reassign.topic(), reassign.partition()), reassign.target())),
                    reassign.allowReplicationFactorChange(),
                    ""));
        } else if (step instanceof Step.Elect elect) {
            return error(
                    new QuorumCommand.ElectLeaders(List.of(id(elect.topic(), elect.partition())), elect.unclean(), ""));
        } else if (step instanceof Step.Balance balance) {
            return error(new QuorumCommand.BalanceLeaders(balance.unclean() ? Balance.UNCLEAN : Balance.PREFERRED));
        }
        throw new IllegalArgumentException("" + step);
    }

    private PartitionId id(String topic, int partition) {
        TopicState state = topic == null ? null : ours.image.topic(topic);
        return new PartitionId(state == null ? new TopicId(1, 1) : state.id(), partition);
    }

    private int error(QuorumCommand command) {
        QuorumReply reply = ours.run(command);
        ErrorCode error = ErrorCode.NONE;
        if (reply instanceof QuorumReply.Refused refused) {
            error = refused.error();
        } else if (reply instanceof QuorumReply.Topics topics) {
            error = topics.results().get(0).error();
        } else if (reply instanceof QuorumReply.Rows rows) {
            error = rows.rows().get(0).error();
        } else if (reply instanceof QuorumReply.AlteredPartitions altered) {
            error = altered.results().get(0).error();
        }
        return error.code();
    }

    private int register(Step.Register step) {
        ours.liveSessions.clear();
        for (int id = 1; id <= BROKERS; id++) {
            if (liveness.sessionAlive(ours.ref(id), now())) {
                ours.liveSessions.add(id);
            }
        }
        BrokerState old = ours.image.broker(step.broker());
        String boot = step.evidence() == Step.Evidence.SAME_BOOT && old != null
                ? old.bootEvidence()
                : "boot-" + ours.image.index();
        QuorumCommand.RegisterBroker plain = TestCluster.registration(
                step.broker(),
                "incarnation-" + step.incarnation(),
                List.of("disk-" + step.disk() + "a", "disk-" + step.disk() + "b"),
                step.evidence() == Step.Evidence.STOPPED_IN_ORDER ? ours.epoch(step.broker()) : -1,
                boot,
                true);
        List<SeatReport> reports = new ArrayList<>();
        ours.image.partitionsOf(step.broker()).forEach(id -> reports.add(report(step, id)));
        return error(TestCluster.with(plain, reports));
    }

    /** What the broker of that step says of its log of that partition. */
    static SeatReport report(Step.Register step, PartitionId id) {
        return new SeatReport(
                step.broker(), id, 0, step.logEnd(), step.logEnd() == 0 ? EpochHistory.EMPTY : EpochHistory.of(0, 0));
    }

    static Floor floor(int offset) {
        return offset < 0 ? Floor.NONE : Floor.known(offset, offset == 0 ? -1 : 0, true);
    }

    private int heartbeat(Step.Heartbeat step) {
        reported.merge(step.epoch(), step.metadataIndex(), Math::max);
        HeartbeatOutcome outcome = liveness.heartbeat(
                ours.image,
                new QuorumQuery.Heartbeat(
                        step.broker(), step.epoch(), reported.get(step.epoch()), step.wantFence(), step.wantShutDown()),
                now());
        if (outcome.toSubmit() != null) {
            ours.run(outcome.toSubmit());
            liveness.finished(outcome.toSubmit());
        }
        return outcome.error().code();
    }

    // ---- Kafka ----

    private int tellKafka(Step step, int ourError) {
        if (step instanceof Step.Register register) {
            return registerWithKafka(register, ourError);
        } else if (step instanceof Step.Heartbeat beat) {
            return heartbeatWithKafka(beat);
        } else if (step instanceof Step.SessionsRunOut) {
            kafka.sessionsRunOut();
            return 0;
        } else if (step instanceof Step.Fence fence) {
            for (int id : fence.brokers()) {
                if (kafka.broker(id) != null && !kafka.broker(id).fenced()) {
                    kafka.fence(id);
                }
            }
            return 0;
        } else if (step instanceof Step.Unregister gone) {
            return kafka.unregister(gone.broker());
        } else if (step instanceof Step.Create create) {
            int error = kafka.createTopic(
                    create.topic(),
                    create.partitions(),
                    create.replicationFactor(),
                    create.assignment(),
                    create.configs());
            if (error == 0 && ourError == 0 && create.assignment() == null) {
                error = kafka.createTopic(create.topic(), -1, -1, replicas(create.topic(), 0), create.configs());
            }
            return error;
        } else if (step instanceof Step.Grow grow) {
            TopicState topic = ours.image.topic(grow.topic());
            int error = kafka.createPartitions(grow.topic(), grow.count(), grow.assignment());
            if (error == 0 && ourError == 0 && grow.assignment() == null) {
                int present = 0;
                while (kafka.partition(grow.topic(), present) != null) {
                    present++;
                }
                error = kafka.createPartitions(grow.topic(), grow.count(), replicas(topic.name(), present));
            }
            return error;
        } else if (step instanceof Step.Delete delete) {
            return kafka.deleteTopic(delete.topic());
        } else if (step instanceof Step.Config config) {
            int error = kafka.setConfig(config.topic(), config.key(), config.value());
            if (config.key().equals(RecoveryStrategy.UNCLEAN_KEY) && !ours.lastRecords.isEmpty()) {
                kafka.electUncleanly(); // Kafka would within five minutes; here it happens at once (R7.35)
            }
            return error;
        } else if (step instanceof Step.Alter alter) {
            return kafka.alterPartition(
                    alter.sender(),
                    alter.senderEpoch(),
                    alter.topic(),
                    alter.partition(),
                    alter.leaderEpoch(),
                    alter.partitionEpoch(),
                    alter.recovering(),
                    alter.isr());
        } else if (step instanceof Step.Reassign reassign) {
            return kafka.reassign(
                    reassign.topic(), reassign.partition(), reassign.target(), reassign.allowReplicationFactorChange());
        } else if (step instanceof Step.Elect elect) {
            return kafka.elect(elect.unclean(), elect.topic(), elect.partition());
        } else if (step instanceof Step.Balance balance) {
            if (balance.unclean()) {
                kafka.electUncleanly();
            } else {
                kafka.balance();
            }
            return 0;
        }
        throw new IllegalArgumentException("" + step);
    }

    private List<List<Integer>> replicas(String topic, int from) {
        List<List<Integer>> lists = new ArrayList<>();
        TopicState state = ours.image.topic(topic);
        for (int i = from; i < state.partitions().size(); i++) {
            lists.add(state.partition(i).replicas());
        }
        return lists;
    }

    private int registerWithKafka(Step.Register step, int ourError) {
        Uuid incarnation = new Uuid(7, step.incarnation());
        List<Uuid> directories = List.of(new Uuid(8, step.disk()), new Uuid(9, step.disk()));
        KafkaOracle.Broker old = kafka.broker(step.broker());
        boolean clean = old != null && step.evidence() != Step.Evidence.NONE;
        long previous = clean ? old.epoch() : -1;
        int error = kafka.register(step.broker(), incarnation, directories, previous, ours.image.index());
        if (error == ErrorCode.DUPLICATE_BROKER_REGISTRATION.code() && ourError == 0) {
            explained.merge(IntendedDifferences.TAKEOVER, 1, Integer::sum);
            nowMs += 10 * SESSION_MS;
            kafka.sessionsRunOut();
            error = kafka.register(step.broker(), incarnation, directories, previous, ours.image.index());
        }
        return error;
    }

    private int heartbeatWithKafka(Step.Heartbeat beat) {
        KafkaOracle.Beat answer = beat(beat);
        BrokerState broker = ours.image.broker(beat.broker());
        KafkaOracle.Broker theirs = kafka.broker(beat.broker());
        if (answer.error() == 0
                && broker.fenced()
                && broker.shuttingDown()
                && !theirs.fenced()
                && theirs.shuttingDown()) {
            explained.merge(IntendedDifferences.REPORTED_FENCED, 1, Integer::sum);
            everybodyBeats();
            answer = beat(beat);
        }
        if (answer.error() == 0) {
            boolean mayStop = broker.fenced() && beat.wantShutDown();
            if (answer.shouldShutDown() != (mayStop || broker.shuttingDown() && broker.fenced())
                    || answer.fenced() != broker.fenced()) {
                throw new UnexplainedException(beat + ": with us it is " + broker + ", Kafka answers " + answer);
            }
        }
        return answer.error();
    }

    /** Every active broker says again what it has said already. */
    private void everybodyBeats() {
        for (BrokerState broker : ours.image.brokers().values()) {
            if (broker.active()) {
                Step.Heartbeat again =
                        new Step.Heartbeat(broker.id(), broker.epoch(), reported.get(broker.epoch()), false, false);
                heartbeat(again);
                beat(again);
            }
        }
    }

    private KafkaOracle.Beat beat(Step.Heartbeat beat) {
        return kafka.heartbeat(
                beat.broker(),
                beat.epoch(),
                reported.get(beat.epoch()),
                beat.wantFence(),
                beat.wantShutDown(),
                ours.image.index());
    }
}
