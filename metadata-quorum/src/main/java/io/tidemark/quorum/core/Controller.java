package io.tidemark.quorum.core;

import io.tidemark.model.Check;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry.Cause;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.MetadataRecord.ConfigSet;
import io.tidemark.model.metadata.MetadataRecord.HistoryBegun;
import io.tidemark.model.metadata.MetadataRecord.LevelFinalized;
import io.tidemark.model.metadata.MetadataRecord.ProducerIdsAllocated;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.AllocateProducerIds;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;
import io.tidemark.model.metadata.QuorumReply;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** What the acting controller does with each command: the way from (image, command) to (records, reply). */
public final class Controller {
    /** Producer ids given out at a time. */
    public static final int PRODUCER_ID_BLOCK = 1000;

    private Controller() {}

    /**
     * Decides one command on the image that the entry will be based on. Never throws for bad input. Every reply other
     * than a refusal holds only once the records are applied, and so does a refusal only once its entry is.
     */
    public static Decision decide(ClusterImage pending, QuorumCommand command, DecideContext context) {
        QuorumReply refusal = StatelessChecks.refuse(command, context.settings());
        if (refusal != null) {
            return Decision.nothing(refusal, Causes.controller(kind(command), "refused whatever the state"));
        }
        return UncleanRecovery.told(pending, command, decided(pending, command, context));
    }

    private static Decision decided(ClusterImage pending, QuorumCommand command, DecideContext context) {
        if (command instanceof QuorumCommand.Bootstrap bootstrap) {
            return bootstrap(pending, bootstrap, context);
        } else if (command instanceof QuorumCommand.NoOp) {
            return Decision.nothing(new QuorumReply.Done(), Causes.controller("NoOp", ""));
        } else if (pending.level() == 0) {
            return Decision.refused(
                    ErrorCode.NOT_CONTROLLER,
                    "the cluster is not bootstrapped yet",
                    Causes.controller(kind(command), "before bootstrap"));
        } else if (command instanceof QuorumCommand.AlterPartition alter) {
            return IsrChanges.decide(pending, alter, context);
        } else if (command instanceof QuorumCommand.RegisterBroker register) {
            return Registration.decide(pending, register, context);
        } else if (command instanceof QuorumCommand.FenceBrokers fence) {
            return BrokerLifecycle.fence(pending, fence);
        } else if (command instanceof QuorumCommand.UnfenceBroker unfence) {
            return BrokerLifecycle.unfence(pending, unfence.broker());
        } else if (command instanceof QuorumCommand.ShutDownBroker shutDown) {
            return BrokerLifecycle.shutDown(pending, shutDown.broker());
        } else if (command instanceof QuorumCommand.CreateTopics create) {
            return TopicCreation.decide(pending, create, context);
        } else if (command instanceof QuorumCommand.DeleteTopics delete) {
            return TopicDeletion.decide(pending, delete);
        } else if (command instanceof QuorumCommand.CreatePartitions grow) {
            return PartitionGrowth.decide(pending, grow, context);
        } else if (command instanceof QuorumCommand.AlterConfigs alter) {
            return ConfigChanges.decide(pending, alter);
        } else if (command instanceof QuorumCommand.ElectLeaders elect) {
            return RequestedElections.decide(pending, elect);
        } else if (command instanceof QuorumCommand.AlterReassignments alter) {
            return Reassignments.decide(pending, alter);
        } else if (command instanceof QuorumCommand.BalanceLeaders balance) {
            return LeaderBalance.decide(pending, balance);
        } else if (command instanceof QuorumCommand.UnregisterBroker gone) {
            return BrokerLifecycle.unregister(pending, gone);
        } else if (command instanceof AllocateProducerIds allocate) {
            return producerIds(pending, allocate);
        }
        throw new Check.Violation("no decision for " + kind(command));
    }

    /** The history's id, the metadata level and the cluster's default configuration, once in the life of a cluster. */
    private static Decision bootstrap(ClusterImage image, QuorumCommand.Bootstrap command, DecideContext context) {
        List<MetadataRecord> records = new ArrayList<>();
        if (image.level() == 0) {
            records.add(new HistoryBegun(context.random() == 0 ? 1 : context.random()));
            records.add(new LevelFinalized(command.level()));
            new TreeMap<>(command.clusterConfigs())
                    .forEach((key, value) -> records.add(new ConfigSet(ConfigResource.CLUSTER_DEFAULT, key, value)));
        }
        return Decision.of(records, new QuorumReply.Done(), Causes.controller("Bootstrap", ""));
    }

    private static Decision producerIds(ClusterImage image, AllocateProducerIds command) {
        BrokerRef sender = new BrokerRef(command.brokerId(), command.brokerEpoch());
        Cause cause = Causes.broker("AllocateProducerIds", sender, "");
        BrokerState registered = image.broker(command.brokerId());
        if (registered == null || registered.epoch() != command.brokerEpoch()) {
            return Decision.refused(ErrorCode.STALE_BROKER_EPOCH, Causes.stale(sender, registered), cause);
        }
        long first = image.nextProducerId();
        if (first > Long.MAX_VALUE - PRODUCER_ID_BLOCK) {
            return Decision.refused(ErrorCode.UNKNOWN_SERVER_ERROR, "all producer ids are given out", cause);
        }
        return Decision.of(
                List.of(new ProducerIdsAllocated(sender.brokerId(), sender.brokerEpoch(), first + PRODUCER_ID_BLOCK)),
                new QuorumReply.ProducerIds(first, PRODUCER_ID_BLOCK),
                cause);
    }

    private static String kind(QuorumCommand command) {
        return command.getClass().getSimpleName();
    }
}
