package io.tidemark.model.codec;

import io.tidemark.model.codec.proto.AlterPartitionP;
import io.tidemark.model.codec.proto.AlteredPartitionP;
import io.tidemark.model.codec.proto.AlteredPartitionsP;
import io.tidemark.model.codec.proto.AnswerP;
import io.tidemark.model.codec.proto.BalanceLeadersP;
import io.tidemark.model.codec.proto.BootstrapP;
import io.tidemark.model.codec.proto.BrokerRefP;
import io.tidemark.model.codec.proto.CreatePartitionsP;
import io.tidemark.model.codec.proto.CreateTopicsP;
import io.tidemark.model.codec.proto.DeleteTopicsP;
import io.tidemark.model.codec.proto.DoneP;
import io.tidemark.model.codec.proto.FenceBrokersP;
import io.tidemark.model.codec.proto.GrowthP;
import io.tidemark.model.codec.proto.IsrProposalP;
import io.tidemark.model.codec.proto.NewTopicP;
import io.tidemark.model.codec.proto.ProducerIdsP;
import io.tidemark.model.codec.proto.QuorumCommandP;
import io.tidemark.model.codec.proto.QuorumReplyP;
import io.tidemark.model.codec.proto.RefusedP;
import io.tidemark.model.codec.proto.RegisterBrokerP;
import io.tidemark.model.codec.proto.TopicP;
import io.tidemark.model.codec.proto.TopicResultP;
import io.tidemark.model.codec.proto.TopicResultsP;
import io.tidemark.model.codec.proto.UnregisterBrokerP;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.SeatReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Commands to the acting controller and their replies, to and from bytes. */
public final class CommandCodec {
    private CommandCodec() {}

    public static byte[] encode(QuorumCommand command) {
        return of(command).toByteArray();
    }

    /** Throws {@link UnreadableException} for damage and for anything a newer version wrote. */
    public static QuorumCommand decodeCommand(byte[] bytes) {
        QuorumCommandP command = Protos.parse(QuorumCommandP.parser(), bytes, "a command");
        return Protos.reading("a command", () -> command(command));
    }

    public static byte[] encode(QuorumReply.Answer answer) {
        return AnswerP.newBuilder()
                .setIndex(answer.index())
                .setReply(of(answer.reply()))
                .build()
                .toByteArray();
    }

    /** Throws {@link UnreadableException} for damage and for anything a newer version wrote. */
    public static QuorumReply.Answer decodeAnswer(byte[] bytes) {
        AnswerP answer = Protos.parse(AnswerP.parser(), bytes, "an answer");
        return Protos.reading("an answer", () -> new QuorumReply.Answer(answer.getIndex(), reply(answer.getReply())));
    }

    private static QuorumCommandP of(QuorumCommand command) {
        QuorumCommandP.Builder builder = QuorumCommandP.newBuilder();
        if (command instanceof QuorumCommand.RegisterBroker register) {
            builder.setRegisterBroker(of(register));
        } else if (command instanceof QuorumCommand.FenceBrokers fence) {
            FenceBrokersP.Builder brokers =
                    FenceBrokersP.newBuilder().setReason(fence.reason()).setRest(fence.rest());
            fence.brokers().forEach(broker -> brokers.addBrokers(of(broker)));
            builder.setFenceBrokers(brokers);
        } else if (command instanceof QuorumCommand.UnfenceBroker unfence) {
            builder.setUnfenceBroker(of(unfence.broker()));
        } else if (command instanceof QuorumCommand.ShutDownBroker shutDown) {
            builder.setShutDownBroker(of(shutDown.broker()));
        } else if (command instanceof QuorumCommand.CreateTopics create) {
            builder.setCreateTopics(of(create));
        } else if (command instanceof QuorumCommand.DeleteTopics delete) {
            DeleteTopicsP.Builder topics = DeleteTopicsP.newBuilder().setClient(delete.client());
            delete.topics()
                    .forEach(topic -> topics.addTopics(
                            TopicP.newBuilder().setName(topic.name()).setId(Protos.of(topic.topicId()))));
            builder.setDeleteTopics(topics);
        } else if (command instanceof QuorumCommand.CreatePartitions grow) {
            CreatePartitionsP.Builder topics = CreatePartitionsP.newBuilder()
                    .setValidateOnly(grow.validateOnly())
                    .setClient(grow.client());
            grow.topics()
                    .forEach(topic -> topics.addTopics(GrowthP.newBuilder()
                            .setName(topic.name())
                            .setCount(topic.count())
                            .addAllAssignment(Protos.assignmentOf(topic.assignment()))));
            builder.setCreatePartitions(topics);
        } else if (command instanceof QuorumCommand.AlterPartition alter) {
            builder.setAlterPartition(of(alter));
        } else if (command instanceof QuorumCommand.AllocateProducerIds allocate) {
            builder.setAllocateProducerIds(
                    BrokerRefP.newBuilder().setBroker(allocate.brokerId()).setEpoch(allocate.brokerEpoch()));
        } else if (command instanceof QuorumCommand.Bootstrap bootstrap) {
            builder.setBootstrap(BootstrapP.newBuilder()
                    .setLevel(bootstrap.level())
                    .putAllClusterConfigs(bootstrap.clusterConfigs()));
        } else if (command instanceof QuorumCommand.AlterConfigs alter) {
            builder.setAlterConfigs(AdminCodec.of(alter));
        } else if (command instanceof QuorumCommand.ElectLeaders elect) {
            builder.setElectLeaders(AdminCodec.of(elect));
        } else if (command instanceof QuorumCommand.AlterReassignments alter) {
            builder.setAlterReassignments(AdminCodec.of(alter));
        } else if (command instanceof QuorumCommand.BalanceLeaders balance) {
            builder.setBalanceLeaders(
                    BalanceLeadersP.newBuilder().setKindValue(balance.kind().ordinal()));
        } else if (command instanceof QuorumCommand.UnregisterBroker gone) {
            builder.setUnregisterBroker(
                    UnregisterBrokerP.newBuilder().setBroker(gone.brokerId()).setClient(gone.client()));
        } else if (command instanceof QuorumCommand.NoOp) {
            builder.setNoOp(DoneP.getDefaultInstance());
        } else {
            throw new IllegalArgumentException("no encoding for " + command);
        }
        return builder.build();
    }

    private static QuorumCommand command(QuorumCommandP command) {
        return switch (command.getKindCase()) {
            case REGISTER_BROKER -> register(command.getRegisterBroker());
            case FENCE_BROKERS ->
                new QuorumCommand.FenceBrokers(
                        refs(command.getFenceBrokers().getBrokersList()),
                        command.getFenceBrokers().getReason(),
                        command.getFenceBrokers().getRest());
            case UNFENCE_BROKER -> new QuorumCommand.UnfenceBroker(ref(command.getUnfenceBroker()));
            case SHUT_DOWN_BROKER -> new QuorumCommand.ShutDownBroker(ref(command.getShutDownBroker()));
            case CREATE_TOPICS -> createTopics(command.getCreateTopics());
            case DELETE_TOPICS -> deleteTopics(command.getDeleteTopics());
            case CREATE_PARTITIONS -> createPartitions(command.getCreatePartitions());
            case ALTER_PARTITION -> alterPartition(command.getAlterPartition());
            case ALLOCATE_PRODUCER_IDS ->
                new QuorumCommand.AllocateProducerIds(
                        command.getAllocateProducerIds().getBroker(),
                        command.getAllocateProducerIds().getEpoch());
            case BOOTSTRAP ->
                new QuorumCommand.Bootstrap(
                        command.getBootstrap().getLevel(),
                        Map.copyOf(command.getBootstrap().getClusterConfigsMap()));
            case ALTER_CONFIGS -> AdminCodec.alterConfigs(command.getAlterConfigs());
            case ELECT_LEADERS -> AdminCodec.electLeaders(command.getElectLeaders());
            case ALTER_REASSIGNMENTS -> AdminCodec.alterReassignments(command.getAlterReassignments());
            case BALANCE_LEADERS -> AdminCodec.balanceLeaders(command.getBalanceLeaders());
            case UNREGISTER_BROKER ->
                new QuorumCommand.UnregisterBroker(
                        command.getUnregisterBroker().getBroker(),
                        command.getUnregisterBroker().getClient());
            case NO_OP -> new QuorumCommand.NoOp();
            case KIND_NOT_SET -> throw new UnreadableException("a command of a kind that this version does not know");
        };
    }

    private static RegisterBrokerP of(QuorumCommand.RegisterBroker register) {
        RegisterBrokerP.Builder builder = RegisterBrokerP.newBuilder()
                .setClusterId(register.clusterId())
                .setBroker(RecordCodec.of(new BrokerState(
                        register.brokerId(),
                        -1,
                        register.incarnationId(),
                        register.directoryIds(),
                        register.endpoints(),
                        register.rack(),
                        register.bootEvidence(),
                        register.minLevel(),
                        register.maxLevel(),
                        true,
                        -1)))
                .setPreviousBrokerEpoch(register.previousBrokerEpoch())
                .setNothingCut(register.nothingCut());
        register.reports().forEach(report -> builder.addReports(Protos.of(report)));
        return builder.build();
    }

    private static QuorumCommand register(RegisterBrokerP register) {
        BrokerState broker = RecordCodec.broker(register.getBroker());
        List<SeatReport> reports = new ArrayList<>();
        register.getReportsList().forEach(report -> reports.add(Protos.seatReport(report)));
        return new QuorumCommand.RegisterBroker(
                register.getClusterId(),
                broker.id(),
                broker.incarnationId(),
                broker.directoryIds(),
                broker.endpoints(),
                broker.rack(),
                register.getPreviousBrokerEpoch(),
                broker.bootEvidence(),
                register.getNothingCut(),
                broker.minLevel(),
                broker.maxLevel(),
                reports);
    }

    private static CreateTopicsP of(QuorumCommand.CreateTopics create) {
        CreateTopicsP.Builder builder = CreateTopicsP.newBuilder()
                .setValidateOnly(create.validateOnly())
                .setClient(create.client());
        create.topics()
                .forEach(topic -> builder.addTopics(NewTopicP.newBuilder()
                        .setName(topic.name())
                        .setPartitions(topic.partitions())
                        .setReplicationFactor(topic.replicationFactor())
                        .addAllAssignment(Protos.assignmentOf(topic.assignment()))
                        .putAllConfigs(topic.configs())));
        return builder.build();
    }

    private static QuorumCommand createTopics(CreateTopicsP create) {
        List<QuorumCommand.NewTopic> topics = new ArrayList<>();
        create.getTopicsList()
                .forEach(topic -> topics.add(new QuorumCommand.NewTopic(
                        topic.getName(),
                        topic.getPartitions(),
                        topic.getReplicationFactor(),
                        Protos.assignment(topic.getAssignmentList()),
                        Map.copyOf(topic.getConfigsMap()))));
        return new QuorumCommand.CreateTopics(topics, create.getValidateOnly(), create.getClient());
    }

    private static QuorumCommand deleteTopics(DeleteTopicsP delete) {
        List<QuorumCommand.TopicRef> topics = new ArrayList<>();
        delete.getTopicsList()
                .forEach(topic ->
                        topics.add(new QuorumCommand.TopicRef(topic.getName(), Protos.topicId(topic.getId()))));
        return new QuorumCommand.DeleteTopics(topics, delete.getClient());
    }

    private static QuorumCommand createPartitions(CreatePartitionsP grow) {
        List<QuorumCommand.Growth> topics = new ArrayList<>();
        grow.getTopicsList()
                .forEach(topic -> topics.add(new QuorumCommand.Growth(
                        topic.getName(), topic.getCount(), Protos.assignment(topic.getAssignmentList()))));
        return new QuorumCommand.CreatePartitions(topics, grow.getValidateOnly(), grow.getClient());
    }

    private static AlterPartitionP of(QuorumCommand.AlterPartition alter) {
        AlterPartitionP.Builder builder = AlterPartitionP.newBuilder()
                .setBroker(BrokerRefP.newBuilder().setBroker(alter.brokerId()).setEpoch(alter.brokerEpoch()));
        for (QuorumCommand.IsrProposal proposal : alter.partitions()) {
            IsrProposalP.Builder partition = IsrProposalP.newBuilder()
                    .setId(Protos.of(proposal.id()))
                    .setLeaderEpoch(proposal.leaderEpoch())
                    .setPartitionEpoch(proposal.partitionEpoch())
                    .setRecovering(proposal.recovering())
                    .setKindValue(proposal.kind().ordinal())
                    .setFloor(Protos.of(proposal.floor()))
                    .setReason(proposal.reason());
            proposal.isr()
                    .forEach(member -> partition.addIsr(
                            BrokerRefP.newBuilder().setBroker(member.brokerId()).setEpoch(member.brokerEpoch())));
            builder.addPartitions(partition);
        }
        return builder.build();
    }

    private static QuorumCommand alterPartition(AlterPartitionP alter) {
        List<QuorumCommand.IsrProposal> proposals = new ArrayList<>();
        for (IsrProposalP proposal : alter.getPartitionsList()) {
            List<QuorumCommand.IsrMember> isr = new ArrayList<>();
            proposal.getIsrList()
                    .forEach(member -> isr.add(new QuorumCommand.IsrMember(member.getBroker(), member.getEpoch())));
            proposals.add(new QuorumCommand.IsrProposal(
                    Protos.partitionId(proposal.getId()),
                    proposal.getLeaderEpoch(),
                    proposal.getPartitionEpoch(),
                    isr,
                    proposal.getRecovering(),
                    kind(proposal),
                    Protos.floor(proposal.getFloor()),
                    proposal.getReason()));
        }
        return new QuorumCommand.AlterPartition(
                alter.getBroker().getBroker(), alter.getBroker().getEpoch(), proposals);
    }

    private static QuorumCommand.IsrProposal.Kind kind(IsrProposalP proposal) {
        return switch (proposal.getKind()) {
            case CHANGE -> QuorumCommand.IsrProposal.Kind.CHANGE;
            case REPORT -> QuorumCommand.IsrProposal.Kind.REPORT;
            case CANCEL -> QuorumCommand.IsrProposal.Kind.CANCEL;
            case UNRECOGNIZED -> throw new UnreadableException("unknown kind of proposal " + proposal.getKindValue());
        };
    }

    private static BrokerRefP of(QuorumCommand.BrokerRef ref) {
        return BrokerRefP.newBuilder()
                .setBroker(ref.brokerId())
                .setEpoch(ref.brokerEpoch())
                .build();
    }

    private static QuorumCommand.BrokerRef ref(BrokerRefP ref) {
        return new QuorumCommand.BrokerRef(ref.getBroker(), ref.getEpoch());
    }

    private static List<QuorumCommand.BrokerRef> refs(List<BrokerRefP> refs) {
        List<QuorumCommand.BrokerRef> result = new ArrayList<>();
        refs.forEach(ref -> result.add(ref(ref)));
        return result;
    }

    static QuorumReplyP of(QuorumReply reply) {
        QuorumReplyP.Builder builder = QuorumReplyP.newBuilder();
        if (reply instanceof QuorumReply.Done) {
            builder.setDone(DoneP.getDefaultInstance());
        } else if (reply instanceof QuorumReply.Refused refused) {
            builder.setRefused(
                    RefusedP.newBuilder().setError(refused.error().code()).setMessage(refused.message()));
        } else if (reply instanceof QuorumReply.Registered registered) {
            builder.setRegistered(registered.brokerEpoch());
        } else if (reply instanceof QuorumReply.Topics topics) {
            TopicResultsP.Builder results = TopicResultsP.newBuilder();
            topics.results()
                    .forEach(result -> results.addResults(TopicResultP.newBuilder()
                            .setName(result.name())
                            .setId(Protos.of(result.topicId()))
                            .setPartitions(result.partitions())
                            .setReplicationFactor(result.replicationFactor())
                            .setError(result.error().code())
                            .setMessage(result.message())));
            builder.setTopics(results);
        } else if (reply instanceof QuorumReply.AlteredPartitions altered) {
            AlteredPartitionsP.Builder results = AlteredPartitionsP.newBuilder();
            altered.results()
                    .forEach(result -> results.addResults(AlteredPartitionP.newBuilder()
                            .setId(Protos.of(result.id()))
                            .setError(result.error().code())
                            .setLeader(result.leader())
                            .setLeaderEpoch(result.leaderEpoch())
                            .addAllIsr(result.isr())
                            .setRecovering(result.recovering())
                            .setPartitionEpoch(result.partitionEpoch())));
            builder.setAlteredPartitions(results);
        } else if (reply instanceof QuorumReply.Rows rows) {
            builder.setRows(AdminCodec.of(rows));
        } else if (reply instanceof QuorumReply.ProducerIds ids) {
            builder.setProducerIds(
                    ProducerIdsP.newBuilder().setFirst(ids.first()).setCount(ids.count()));
        } else {
            throw new IllegalArgumentException("no encoding for " + reply);
        }
        return builder.build();
    }

    static QuorumReply reply(QuorumReplyP reply) {
        return switch (reply.getKindCase()) {
            case DONE -> new QuorumReply.Done();
            case REFUSED ->
                new QuorumReply.Refused(
                        ErrorCode.of(reply.getRefused().getError()),
                        reply.getRefused().getMessage());
            case REGISTERED -> new QuorumReply.Registered(reply.getRegistered());
            case TOPICS -> topics(reply.getTopics());
            case ALTERED_PARTITIONS -> altered(reply.getAlteredPartitions());
            case ROWS -> AdminCodec.rows(reply.getRows());
            case PRODUCER_IDS ->
                new QuorumReply.ProducerIds(
                        reply.getProducerIds().getFirst(),
                        reply.getProducerIds().getCount());
            case KIND_NOT_SET -> throw new UnreadableException("a reply of a kind that this version does not know");
        };
    }

    private static QuorumReply topics(TopicResultsP topics) {
        List<QuorumReply.Topics.Result> results = new ArrayList<>();
        topics.getResultsList()
                .forEach(result -> results.add(new QuorumReply.Topics.Result(
                        result.getName(),
                        Protos.topicId(result.getId()),
                        result.getPartitions(),
                        result.getReplicationFactor(),
                        ErrorCode.of(result.getError()),
                        result.getMessage())));
        return new QuorumReply.Topics(results);
    }

    private static QuorumReply altered(AlteredPartitionsP altered) {
        List<QuorumReply.AlteredPartitions.Result> results = new ArrayList<>();
        altered.getResultsList()
                .forEach(result -> results.add(new QuorumReply.AlteredPartitions.Result(
                        Protos.partitionId(result.getId()),
                        ErrorCode.of(result.getError()),
                        result.getLeader(),
                        result.getLeaderEpoch(),
                        List.copyOf(result.getIsrList()),
                        result.getRecovering(),
                        result.getPartitionEpoch())));
        return new QuorumReply.AlteredPartitions(results);
    }
}
