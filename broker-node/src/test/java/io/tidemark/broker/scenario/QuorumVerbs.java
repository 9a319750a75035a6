package io.tidemark.broker.scenario;

import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What becomes of the metadata, and who learns of it when. */
final class QuorumVerbs {
    /** Broker n is registered at entry FIRST + n. */
    private static final long FIRST = 10;

    private static final long TOPIC_AT = 19;
    private static final String CLIENT = "scenario";

    private final Cluster cluster;

    QuorumVerbs(Cluster cluster) {
        this.cluster = cluster;
    }

    // ---- set-up ----

    void cluster(Command command) {
        cluster.limits(command.number("lag", 30_000), command.number("lease", -1));
        command.required("brokers");
        List<Integer> fenced = command.listOption("fenced", List.of());
        Quorum quorum = cluster.quorum();
        cluster.out().during(() -> {
            quorum.put(0, List.of(new MetadataRecord.LevelFinalized(1)));
            for (int id : command.listOption("brokers", List.of())) {
                cluster.machines().put(id, new Machine(id));
                quorum.put(FIRST + id, List.of(registered(id, fenced.contains(id))));
            }
        });
    }

    private static MetadataRecord registered(int id, boolean fenced) {
        return new MetadataRecord.BrokerRegistered(
                id,
                MetadataRecord.BrokerRegistered.THIS_INDEX,
                Machine.incarnation(id, 1),
                BrokerProcess.directories(id),
                BrokerProcess.endpoints(id),
                "",
                Machine.bootEvidence(id, 1) + " since " + Machine.incarnation(id, 1),
                1,
                1,
                fenced);
    }

    void topic(Command command) {
        command.required("replicas");
        List<Integer> replicas = command.listOption("replicas", List.of());
        List<MetadataRecord> records = new ArrayList<>();
        ConfigResource topic = ConfigResource.topic(Cluster.TOPIC_NAME);
        records.add(new MetadataRecord.TopicCreated(
                Cluster.TOPIC_NAME, Cluster.partition(0).topicId()));
        if (command.has("min-of-cluster")) {
            records.add(new MetadataRecord.ConfigSet(
                    ConfigResource.CLUSTER_DEFAULT, ClusterImage.MIN_ISR_KEY, command.required("min-of-cluster")));
        }
        if (command.has("min")) {
            records.add(new MetadataRecord.ConfigSet(topic, ClusterImage.MIN_ISR_KEY, command.required("min")));
        }
        if (command.has("unclean")) {
            records.add(
                    new MetadataRecord.ConfigSet(topic, "unclean.leader.election.enable", command.required("unclean")));
        }
        if (command.has("strategy")) {
            records.add(new MetadataRecord.ConfigSet(topic, "unclean.recovery.strategy", command.required("strategy")));
        }
        for (int number = 0; number < command.integer("partitions", 1); number++) {
            records.add(new MetadataRecord.PartitionCreated(new PartitionState(
                    Cluster.partition(number),
                    replicas,
                    command.listOption("isr", replicas),
                    command.listOption("elr", List.of()),
                    command.listOption("lke", List.of()),
                    command.integer("leader", replicas.get(0)),
                    command.integer("le", 0),
                    command.integer("pe", 0),
                    command.option("recovering", "false").equals("true"),
                    List.of(),
                    List.of(),
                    Words.floor(command.option("floor", "none")),
                    List.of(),
                    0)));
        }
        cluster.out().during(() -> cluster.quorum().put(TOPIC_AT, records));
    }

    // ---- metadata ----

    void learn(Command command) throws IOException {
        boolean stepwise = command.says(1, "stepwise");
        for (int id : everyone(command)) {
            Machine machine = cluster.machine(id);
            if (machine.neverStarted()) {
                machine.start(cluster).registered(FIRST + id);
            }
            BrokerProcess process = machine.process();
            long upto = command.number("upto", cluster.quorum().image().index());
            if (stepwise) {
                for (ClusterImage image : cluster.quorum().between(process.applied(), upto)) {
                    process.learn(image);
                }
            } else {
                process.learn(cluster.quorum().image(upto));
            }
        }
    }

    private List<Integer> everyone(Command command) {
        return command.argument(0).equals("all")
                ? cluster.machines().values().stream()
                        .filter(machine -> machine.up() || machine.neverStarted())
                        .map(machine -> machine.id)
                        .toList()
                : command.brokers(0);
    }

    private QuorumReply.Answer decide(QuorumCommand command) {
        QuorumReply.Answer answer = cluster.quorum().decide(command, cluster.now());
        sayRefusals(answer);
        return answer;
    }

    private void sayRefusals(QuorumReply.Answer answer) {
        if (answer.reply() instanceof QuorumReply.Refused refused) {
            cluster.out().say("@%d refused: %s", answer.index(), refused.error());
        } else if (answer.reply() instanceof QuorumReply.Rows rows) {
            for (QuorumReply.Rows.Row row : rows.rows()) {
                if (row.error() != ErrorCode.NONE) {
                    cluster.out().say("@%d refused: %s", answer.index(), row.error());
                }
            }
        }
    }

    private QuorumCommand.BrokerRef ref(int id) {
        BrokerState broker = cluster.quorum().image().broker(id);
        if (broker == null) {
            throw new ScenarioException("broker " + id + " is not registered");
        }
        return new QuorumCommand.BrokerRef(id, broker.epoch());
    }

    void fence(Command command) {
        decide(new QuorumCommand.FenceBrokers(
                command.brokers(0).stream().map(this::ref).toList(), "sessions ran out"));
    }

    void unfence(Command command) {
        decide(new QuorumCommand.UnfenceBroker(ref(command.broker(0))));
    }

    void register(Command command) {
        Machine machine = cluster.machine(command.broker(0));
        BrokerProcess process = machine.process();
        Quorum quorum = cluster.quorum();
        QuorumReply.Answer answer = quorum.decide(
                process.registration(), cluster.now(), quorum.image(), command.number("epoch", quorum.nextIndex()));
        sayRefusals(answer);
        if (answer.reply() instanceof QuorumReply.Registered) {
            process.registered(answer.brokerEpoch());
        }
    }

    void shutDown(Command command) {
        decide(new QuorumCommand.ShutDownBroker(ref(command.broker(0))));
    }

    void unregister(Command command) {
        decide(new QuorumCommand.UnregisterBroker(command.broker(0), CLIENT));
    }

    void config(Command command) {
        String[] parts = command.argument(0).split("=", 2);
        if (parts.length < 2) {
            throw new ScenarioException("'config' takes key=value");
        }
        QuorumCommand.ConfigEdit edit = parts[1].isEmpty()
                ? new QuorumCommand.ConfigEdit(QuorumCommand.ConfigEdit.Kind.DELETE, parts[0], "")
                : new QuorumCommand.ConfigEdit(QuorumCommand.ConfigEdit.Kind.SET, parts[0], parts[1]);
        decide(new QuorumCommand.AlterConfigs(
                List.of(new QuorumCommand.ConfigChange(ConfigResource.topic(Cluster.TOPIC_NAME), false, List.of(edit))),
                false,
                CLIENT));
    }

    private static PartitionId partition(Command command) {
        return Cluster.partition(command.integer("p", 0));
    }

    void elect(Command command) {
        decide(new QuorumCommand.ElectLeaders(List.of(partition(command)), command.says(0, "unclean"), CLIENT));
    }

    void balance(Command command) {
        decide(new QuorumCommand.BalanceLeaders(
                command.word(0, "preferred", "unclean").equals("unclean")
                        ? QuorumCommand.BalanceLeaders.Balance.UNCLEAN
                        : QuorumCommand.BalanceLeaders.Balance.PREFERRED));
    }

    void reassign(Command command) {
        List<Integer> target = command.argument(0).equals("cancel") ? null : command.brokers(0);
        decide(new QuorumCommand.AlterReassignments(
                List.of(new QuorumCommand.Reassignment(partition(command), target)), true, CLIENT));
    }

    void metadata(Command command) {
        Floor floor = command.has("floor") ? Words.floor(command.required("floor")) : null;
        Boolean recovering = command.has("recovering") ? Boolean.valueOf(command.required("recovering")) : null;
        cluster.quorum()
                .put(
                        cluster.quorum().nextIndex(),
                        List.of(new MetadataRecord.PartitionChanged(
                                partition(command),
                                command.has("leader") ? Integer.valueOf(command.integer("leader", -1)) : null,
                                command.listOption("isr", null),
                                command.listOption("elr", null),
                                command.listOption("lke", null),
                                recovering,
                                null,
                                null,
                                null,
                                floor,
                                null)));
    }
}
