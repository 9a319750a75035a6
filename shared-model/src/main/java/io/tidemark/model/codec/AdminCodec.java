package io.tidemark.model.codec;

import io.tidemark.model.PartitionId;
import io.tidemark.model.codec.proto.AlterConfigsP;
import io.tidemark.model.codec.proto.AlterReassignmentsP;
import io.tidemark.model.codec.proto.BalanceLeadersP;
import io.tidemark.model.codec.proto.ConfigChangeP;
import io.tidemark.model.codec.proto.ConfigEditP;
import io.tidemark.model.codec.proto.ConfigSetP;
import io.tidemark.model.codec.proto.ElectLeadersP;
import io.tidemark.model.codec.proto.ReassignmentP;
import io.tidemark.model.codec.proto.RefusedP;
import io.tidemark.model.codec.proto.RowsP;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand.AlterConfigs;
import io.tidemark.model.metadata.QuorumCommand.AlterReassignments;
import io.tidemark.model.metadata.QuorumCommand.BalanceLeaders;
import io.tidemark.model.metadata.QuorumCommand.ConfigChange;
import io.tidemark.model.metadata.QuorumCommand.ConfigEdit;
import io.tidemark.model.metadata.QuorumCommand.ElectLeaders;
import io.tidemark.model.metadata.QuorumCommand.Reassignment;
import io.tidemark.model.metadata.QuorumReply;
import java.util.ArrayList;
import java.util.List;

/** The commands of administrators that are answered row by row, to and from protobuf; part of {@link CommandCodec}. */
final class AdminCodec {
    private AdminCodec() {}

    static AlterConfigsP of(AlterConfigs alter) {
        AlterConfigsP.Builder builder =
                AlterConfigsP.newBuilder().setValidateOnly(alter.validateOnly()).setClient(alter.client());
        for (ConfigChange change : alter.changes()) {
            ConfigChangeP.Builder row = ConfigChangeP.newBuilder()
                    .setTypeValue(change.resource().type().ordinal())
                    .setName(change.resource().name())
                    .setReplace(change.replace());
            change.edits()
                    .forEach(edit -> row.addEdits(ConfigEditP.newBuilder()
                            .setKindValue(edit.kind().ordinal())
                            .setKey(edit.key())
                            .setValue(edit.value())));
            builder.addChanges(row);
        }
        return builder.build();
    }

    static AlterConfigs alterConfigs(AlterConfigsP alter) {
        List<ConfigChange> changes = new ArrayList<>();
        for (ConfigChangeP row : alter.getChangesList()) {
            List<ConfigEdit> edits = new ArrayList<>();
            row.getEditsList().forEach(edit -> edits.add(new ConfigEdit(kind(edit), edit.getKey(), edit.getValue())));
            ConfigResource resource = RecordCodec.resource(ConfigSetP.newBuilder()
                    .setTypeValue(row.getTypeValue())
                    .setName(row.getName())
                    .build());
            changes.add(new ConfigChange(resource, row.getReplace(), edits));
        }
        return new AlterConfigs(changes, alter.getValidateOnly(), alter.getClient());
    }

    private static ConfigEdit.Kind kind(ConfigEditP edit) {
        return switch (edit.getKind()) {
            case SET -> ConfigEdit.Kind.SET;
            case DELETE -> ConfigEdit.Kind.DELETE;
            case APPEND -> ConfigEdit.Kind.APPEND;
            case SUBTRACT -> ConfigEdit.Kind.SUBTRACT;
            case UNRECOGNIZED -> throw new UnreadableException("unknown kind of config edit " + edit.getKindValue());
        };
    }

    static ElectLeadersP of(ElectLeaders elect) {
        ElectLeadersP.Builder builder =
                ElectLeadersP.newBuilder().setUnclean(elect.unclean()).setClient(elect.client());
        elect.partitions().forEach(id -> builder.addPartitions(Protos.of(id)));
        return builder.build();
    }

    static ElectLeaders electLeaders(ElectLeadersP elect) {
        List<PartitionId> partitions = new ArrayList<>();
        elect.getPartitionsList().forEach(id -> partitions.add(Protos.partitionId(id)));
        return new ElectLeaders(partitions, elect.getUnclean(), elect.getClient());
    }

    static AlterReassignmentsP of(AlterReassignments alter) {
        AlterReassignmentsP.Builder builder = AlterReassignmentsP.newBuilder()
                .setAllowReplicationFactorChange(alter.allowReplicationFactorChange())
                .setClient(alter.client());
        for (Reassignment row : alter.partitions()) {
            ReassignmentP.Builder partition = ReassignmentP.newBuilder().setId(Protos.of(row.id()));
            if (row.target() != null) {
                partition.setTarget(Protos.ids(row.target()));
            }
            builder.addPartitions(partition);
        }
        return builder.build();
    }

    static AlterReassignments alterReassignments(AlterReassignmentsP alter) {
        List<Reassignment> partitions = new ArrayList<>();
        alter.getPartitionsList()
                .forEach(row -> partitions.add(new Reassignment(
                        Protos.partitionId(row.getId()),
                        row.hasTarget() ? row.getTarget().getIdsList() : null)));
        return new AlterReassignments(partitions, alter.getAllowReplicationFactorChange(), alter.getClient());
    }

    static BalanceLeaders balanceLeaders(BalanceLeadersP balance) {
        return switch (balance.getKind()) {
            case PREFERRED -> new BalanceLeaders(BalanceLeaders.Balance.PREFERRED);
            case UNCLEAN -> new BalanceLeaders(BalanceLeaders.Balance.UNCLEAN);
            case LEADERLESS -> new BalanceLeaders(BalanceLeaders.Balance.LEADERLESS);
            case UNRECOGNIZED -> throw new UnreadableException("unknown kind of balance " + balance.getKindValue());
        };
    }

    static RowsP of(QuorumReply.Rows rows) {
        RowsP.Builder builder = RowsP.newBuilder();
        rows.rows()
                .forEach(row -> builder.addRows(
                        RefusedP.newBuilder().setError(row.error().code()).setMessage(row.message())));
        return builder.build();
    }

    static QuorumReply.Rows rows(RowsP rows) {
        List<QuorumReply.Rows.Row> result = new ArrayList<>();
        rows.getRowsList()
                .forEach(row -> result.add(new QuorumReply.Rows.Row(ErrorCode.of(row.getError()), row.getMessage())));
        return new QuorumReply.Rows(result);
    }
}
