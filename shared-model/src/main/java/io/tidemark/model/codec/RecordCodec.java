package io.tidemark.model.codec;

import io.tidemark.model.codec.proto.BrokerRefP;
import io.tidemark.model.codec.proto.BrokerStateP;
import io.tidemark.model.codec.proto.CauseP;
import io.tidemark.model.codec.proto.ConfigSetP;
import io.tidemark.model.codec.proto.MetadataEntryP;
import io.tidemark.model.codec.proto.MetadataRecordP;
import io.tidemark.model.codec.proto.PartitionChangedP;
import io.tidemark.model.codec.proto.PartitionStateP;
import io.tidemark.model.codec.proto.ProducerIdsAllocatedP;
import io.tidemark.model.codec.proto.SeatReportsP;
import io.tidemark.model.codec.proto.TopicP;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.SeatReport;
import java.util.ArrayList;
import java.util.List;

/** Metadata log entries to and from bytes. The version is that of the entry's frame; records are told apart by kind. */
public final class RecordCodec {
    /** Version of the frame written, and the highest that is read. */
    public static final int VERSION = 1;

    private RecordCodec() {}

    public static byte[] encode(MetadataEntry entry) {
        MetadataEntryP.Builder builder = MetadataEntryP.newBuilder()
                .setVersion(VERSION)
                .setBasedOn(entry.basedOn())
                .setTimestampMs(entry.timestampMs())
                .setCause(of(entry.cause()))
                .setReply(CommandCodec.of(entry.reply()));
        entry.records().forEach(record -> builder.addRecords(of(record)));
        return builder.build().toByteArray();
    }

    /** Throws {@link UnreadableException} for damage and for anything a newer version wrote. */
    public static MetadataEntry decode(byte[] bytes) {
        MetadataEntryP entry = Protos.parse(MetadataEntryP.parser(), bytes, "a metadata log entry");
        if (entry.getVersion() != VERSION) {
            throw new UnreadableException("a metadata log entry has version " + entry.getVersion()
                    + ", this program reads version " + VERSION);
        }
        return Protos.reading("a metadata log entry", () -> entry(entry));
    }

    private static MetadataEntry entry(MetadataEntryP entry) {
        List<MetadataRecord> records = new ArrayList<>(entry.getRecordsCount());
        entry.getRecordsList().forEach(record -> records.add(record(record)));
        return new MetadataEntry(
                entry.getBasedOn(),
                entry.getTimestampMs(),
                cause(entry.getCause()),
                records,
                CommandCodec.reply(entry.getReply()));
    }

    private static CauseP of(MetadataEntry.Cause cause) {
        CauseP.Builder builder = CauseP.newBuilder()
                .setKind(cause.kind())
                .setBroker(cause.brokerId())
                .setBrokerEpoch(cause.brokerEpoch())
                .setClient(cause.client())
                .setReason(cause.reason());
        if (cause.controllerId() != -1) {
            builder.setController(cause.controllerId());
        }
        return builder.build();
    }

    private static MetadataEntry.Cause cause(CauseP cause) {
        return new MetadataEntry.Cause(
                cause.getKind(),
                cause.getBroker(),
                cause.getBrokerEpoch(),
                cause.getClient(),
                cause.getReason(),
                cause.hasController() ? cause.getController() : -1);
    }

    static MetadataRecordP of(MetadataRecord record) {
        MetadataRecordP.Builder builder = MetadataRecordP.newBuilder();
        if (record instanceof MetadataRecord.LevelFinalized finalized) {
            builder.setLevelFinalized(finalized.level());
        } else if (record instanceof MetadataRecord.HistoryBegun begun) {
            builder.setHistoryBegun(begun.id());
        } else if (record instanceof MetadataRecord.BrokerRegistered registered) {
            builder.setBrokerRegistered(of(registered));
        } else if (record instanceof MetadataRecord.BrokerFenced fenced) {
            builder.setBrokerFenced(ref(fenced.brokerId(), fenced.brokerEpoch()));
        } else if (record instanceof MetadataRecord.BrokerUnfenced unfenced) {
            builder.setBrokerUnfenced(ref(unfenced.brokerId(), unfenced.brokerEpoch()));
        } else if (record instanceof MetadataRecord.BrokerShuttingDown down) {
            builder.setBrokerShuttingDown(ref(down.brokerId(), down.brokerEpoch()));
        } else if (record instanceof MetadataRecord.BrokerUnregistered gone) {
            builder.setBrokerUnregistered(ref(gone.brokerId(), gone.brokerEpoch()));
        } else if (record instanceof MetadataRecord.TopicCreated created) {
            builder.setTopicCreated(TopicP.newBuilder().setName(created.name()).setId(Protos.of(created.topicId())));
        } else if (record instanceof MetadataRecord.TopicDeleted deleted) {
            builder.setTopicDeleted(Protos.of(deleted.topicId()));
        } else if (record instanceof MetadataRecord.PartitionCreated created) {
            builder.setPartitionCreated(of(created.state()));
        } else if (record instanceof MetadataRecord.PartitionChanged changed) {
            builder.setPartitionChanged(of(changed));
        } else if (record instanceof MetadataRecord.ConfigSet set) {
            builder.setConfigSet(of(set.resource(), set.key(), set.value()));
        } else if (record instanceof MetadataRecord.ProducerIdsAllocated allocated) {
            builder.setProducerIdsAllocated(ProducerIdsAllocatedP.newBuilder()
                    .setBroker(allocated.brokerId())
                    .setEpoch(allocated.brokerEpoch())
                    .setNextProducerId(allocated.nextProducerId()));
        } else {
            throw new IllegalArgumentException("no encoding for " + record);
        }
        return builder.build();
    }

    static MetadataRecord record(MetadataRecordP record) {
        return switch (record.getKindCase()) {
            case LEVEL_FINALIZED -> new MetadataRecord.LevelFinalized(record.getLevelFinalized());
            case HISTORY_BEGUN -> new MetadataRecord.HistoryBegun(record.getHistoryBegun());
            case BROKER_REGISTERED -> registered(record.getBrokerRegistered());
            case BROKER_FENCED ->
                new MetadataRecord.BrokerFenced(
                        record.getBrokerFenced().getBroker(),
                        record.getBrokerFenced().getEpoch());
            case BROKER_UNFENCED ->
                new MetadataRecord.BrokerUnfenced(
                        record.getBrokerUnfenced().getBroker(),
                        record.getBrokerUnfenced().getEpoch());
            case BROKER_SHUTTING_DOWN ->
                new MetadataRecord.BrokerShuttingDown(
                        record.getBrokerShuttingDown().getBroker(),
                        record.getBrokerShuttingDown().getEpoch());
            case BROKER_UNREGISTERED ->
                new MetadataRecord.BrokerUnregistered(
                        record.getBrokerUnregistered().getBroker(),
                        record.getBrokerUnregistered().getEpoch());
            case TOPIC_CREATED ->
                new MetadataRecord.TopicCreated(
                        record.getTopicCreated().getName(),
                        Protos.topicId(record.getTopicCreated().getId()));
            case TOPIC_DELETED -> new MetadataRecord.TopicDeleted(Protos.topicId(record.getTopicDeleted()));
            case PARTITION_CREATED -> new MetadataRecord.PartitionCreated(partition(record.getPartitionCreated()));
            case PARTITION_CHANGED -> changed(record.getPartitionChanged());
            case CONFIG_SET ->
                new MetadataRecord.ConfigSet(
                        resource(record.getConfigSet()),
                        record.getConfigSet().getKey(),
                        record.getConfigSet().hasValue() ? record.getConfigSet().getValue() : null);
            case PRODUCER_IDS_ALLOCATED ->
                new MetadataRecord.ProducerIdsAllocated(
                        record.getProducerIdsAllocated().getBroker(),
                        record.getProducerIdsAllocated().getEpoch(),
                        record.getProducerIdsAllocated().getNextProducerId());
            case KIND_NOT_SET ->
                throw new UnreadableException("a metadata record has a kind that this version does not know");
        };
    }

    private static BrokerRefP ref(int broker, long epoch) {
        return BrokerRefP.newBuilder().setBroker(broker).setEpoch(epoch).build();
    }

    private static BrokerStateP of(MetadataRecord.BrokerRegistered record) {
        return of(new BrokerState(
                record.brokerId(),
                record.epoch(),
                record.incarnationId(),
                record.directoryIds(),
                record.endpoints(),
                record.rack(),
                record.bootEvidence(),
                record.minLevel(),
                record.maxLevel(),
                record.fenced(),
                -1));
    }

    private static MetadataRecord.BrokerRegistered registered(BrokerStateP broker) {
        BrokerState state = broker(broker);
        return new MetadataRecord.BrokerRegistered(
                state.id(),
                state.epoch(),
                state.incarnationId(),
                state.directoryIds(),
                state.endpoints(),
                state.rack(),
                state.bootEvidence(),
                state.minLevel(),
                state.maxLevel(),
                state.fenced());
    }

    static BrokerStateP of(BrokerState broker) {
        BrokerStateP.Builder builder = BrokerStateP.newBuilder()
                .setId(broker.id())
                .setEpoch(broker.epoch())
                .setIncarnation(broker.incarnationId())
                .addAllDirectories(broker.directoryIds())
                .setRack(broker.rack())
                .setBootEvidence(broker.bootEvidence())
                .setMinLevel(broker.minLevel())
                .setMaxLevel(broker.maxLevel())
                .setFenced(broker.fenced())
                .setShutdownIndex(broker.shutdownIndex());
        broker.endpoints().forEach(endpoint -> builder.addEndpoints(Protos.of(endpoint)));
        return builder.build();
    }

    static BrokerState broker(BrokerStateP broker) {
        List<Endpoint> endpoints = new ArrayList<>();
        broker.getEndpointsList().forEach(endpoint -> endpoints.add(Protos.endpoint(endpoint)));
        return new BrokerState(
                broker.getId(),
                broker.getEpoch(),
                broker.getIncarnation(),
                broker.getDirectoriesList(),
                endpoints,
                broker.getRack(),
                broker.getBootEvidence(),
                broker.getMinLevel(),
                broker.getMaxLevel(),
                broker.getFenced(),
                broker.getShutdownIndex());
    }

    static PartitionStateP of(PartitionState state) {
        PartitionStateP.Builder builder = PartitionStateP.newBuilder()
                .setId(Protos.of(state.id()))
                .addAllReplicas(state.replicas())
                .addAllIsr(state.isr())
                .addAllElr(state.elr())
                .addAllLastKnownElr(state.lastKnownElr())
                .setLeader(state.leader())
                .setLeaderEpoch(state.leaderEpoch())
                .setPartitionEpoch(state.partitionEpoch())
                .setRecovering(state.recovering())
                .addAllAdding(state.adding())
                .addAllRemoving(state.removing())
                .setFloor(Protos.of(state.floor()));
        state.unproven().forEach(report -> builder.addUnproven(Protos.of(report)));
        return builder.build();
    }

    static PartitionState partition(PartitionStateP state) {
        List<SeatReport> unproven = new ArrayList<>();
        state.getUnprovenList().forEach(report -> unproven.add(Protos.seatReport(report)));
        return new PartitionState(
                Protos.partitionId(state.getId()),
                state.getReplicasList(),
                state.getIsrList(),
                state.getElrList(),
                state.getLastKnownElrList(),
                state.getLeader(),
                state.getLeaderEpoch(),
                state.getPartitionEpoch(),
                state.getRecovering(),
                state.getAddingList(),
                state.getRemovingList(),
                Protos.floor(state.getFloor()),
                unproven,
                0);
    }

    private static PartitionChangedP of(MetadataRecord.PartitionChanged change) {
        PartitionChangedP.Builder builder = PartitionChangedP.newBuilder().setId(Protos.of(change.id()));
        if (change.leader() != null) {
            builder.setLeader(change.leader());
        }
        if (change.isr() != null) {
            builder.setIsr(Protos.ids(change.isr()));
        }
        if (change.elr() != null) {
            builder.setElr(Protos.ids(change.elr()));
        }
        if (change.lastKnownElr() != null) {
            builder.setLastKnownElr(Protos.ids(change.lastKnownElr()));
        }
        if (change.recovering() != null) {
            builder.setRecovering(change.recovering());
        }
        if (change.replicas() != null) {
            builder.setReplicas(Protos.ids(change.replicas()));
        }
        if (change.adding() != null) {
            builder.setAdding(Protos.ids(change.adding()));
        }
        if (change.removing() != null) {
            builder.setRemoving(Protos.ids(change.removing()));
        }
        if (change.floor() != null) {
            builder.setFloor(Protos.of(change.floor()));
        }
        if (change.unproven() != null) {
            SeatReportsP.Builder reports = SeatReportsP.newBuilder();
            change.unproven().forEach(report -> reports.addReports(Protos.of(report)));
            builder.setUnproven(reports);
        }
        return builder.build();
    }

    private static MetadataRecord.PartitionChanged changed(PartitionChangedP change) {
        List<SeatReport> unproven = null;
        if (change.hasUnproven()) {
            List<SeatReport> reports = new ArrayList<>();
            change.getUnproven().getReportsList().forEach(report -> reports.add(Protos.seatReport(report)));
            unproven = reports;
        }
        return new MetadataRecord.PartitionChanged(
                Protos.partitionId(change.getId()),
                change.hasLeader() ? change.getLeader() : null,
                change.hasIsr() ? change.getIsr().getIdsList() : null,
                change.hasElr() ? change.getElr().getIdsList() : null,
                change.hasLastKnownElr() ? change.getLastKnownElr().getIdsList() : null,
                change.hasRecovering() ? change.getRecovering() : null,
                change.hasReplicas() ? change.getReplicas().getIdsList() : null,
                change.hasAdding() ? change.getAdding().getIdsList() : null,
                change.hasRemoving() ? change.getRemoving().getIdsList() : null,
                change.hasFloor() ? Protos.floor(change.getFloor()) : null,
                unproven);
    }

    static ConfigSetP of(ConfigResource resource, String key, String value) {
        ConfigSetP.Builder builder = ConfigSetP.newBuilder()
                .setTypeValue(resource.type().ordinal())
                .setName(resource.name())
                .setKey(key);
        return (value == null ? builder : builder.setValue(value)).build();
    }

    static ConfigResource resource(ConfigSetP config) {
        return switch (config.getType()) {
            case TOPIC -> new ConfigResource(ConfigResource.Type.TOPIC, config.getName());
            case BROKER -> new ConfigResource(ConfigResource.Type.BROKER, config.getName());
            case GROUP -> new ConfigResource(ConfigResource.Type.GROUP, config.getName());
            case UNRECOGNIZED ->
                throw new UnreadableException("unknown kind of config resource " + config.getTypeValue());
        };
    }
}
