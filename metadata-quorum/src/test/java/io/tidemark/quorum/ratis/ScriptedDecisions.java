package io.tidemark.quorum.ratis;

import io.tidemark.model.MonoTime;
import io.tidemark.model.TopicId;
import io.tidemark.model.WallTime;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.quorum.core.ProcessWatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Simple decisions for tests of the shell. Blocks of producer ids serve as a counter: two answers with the same block, or
 * an image behind an answer, show a lost or doubled command.
 */
public class ScriptedDecisions implements DecisionMaker {
    public static final int BLOCK = 1000;

    @Override
    public QuorumReply refuse(QuorumCommand command) {
        return command instanceof QuorumCommand.CreateTopics create
                        && create.topics().isEmpty()
                ? new QuorumReply.Refused(ErrorCode.INVALID_REQUEST, "no topics")
                : null;
    }

    @Override
    public Decided decide(
            long term,
            ClusterImage pending,
            ClusterImage applied,
            QuorumCommand command,
            WallTime now,
            MonoTime monoNow,
            long random) {
        MetadataEntry.Cause cause =
                new MetadataEntry.Cause(command.getClass().getSimpleName(), -1, -1, "", "asked by a test");
        if (command instanceof QuorumCommand.Bootstrap bootstrap) {
            if (pending.level() > 0) {
                return new Decided(List.of(), refused("bootstrapped already"), cause);
            }
            return new Decided(
                    List.of(new MetadataRecord.LevelFinalized(bootstrap.level())), new QuorumReply.Done(), cause);
        }
        if (command instanceof QuorumCommand.AllocateProducerIds) {
            long first = pending.nextProducerId();
            return new Decided(
                    List.of(new MetadataRecord.ProducerIdsAllocated(1, 1, first + BLOCK)),
                    new QuorumReply.ProducerIds(first, BLOCK),
                    cause);
        }
        if (command instanceof QuorumCommand.FenceBrokers fence) {
            List<MetadataRecord> records = new ArrayList<>();
            for (BrokerRef broker : fence.brokers()) {
                records.add(new MetadataRecord.BrokerFenced(broker.brokerId(), broker.brokerEpoch()));
            }
            return new Decided(records, new QuorumReply.Done(), cause);
        }
        if (command instanceof QuorumCommand.RegisterBroker register) {
            return new Decided(
                    List.of(new MetadataRecord.BrokerRegistered(
                            register.brokerId(),
                            MetadataRecord.BrokerRegistered.THIS_INDEX,
                            register.incarnationId(),
                            register.directoryIds(),
                            register.endpoints(),
                            register.rack(),
                            register.bootEvidence(),
                            1,
                            1,
                            true)),
                    new QuorumReply.Registered(-1),
                    cause);
        }
        if (command instanceof QuorumCommand.UnfenceBroker unfence) {
            return new Decided(
                    List.of(new MetadataRecord.BrokerUnfenced(
                            unfence.broker().brokerId(), unfence.broker().brokerEpoch())),
                    new QuorumReply.Done(),
                    cause);
        }
        if (command instanceof QuorumCommand.CreateTopics create) {
            return topics(create, random, cause);
        }
        if (command instanceof QuorumCommand.NoOp) {
            return new Decided(List.of(), new QuorumReply.Done(), cause);
        }
        throw new IllegalStateException("this test's decisions do not know " + command);
    }

    /** A topic's configuration is as large as the test says, to fill entries. */
    private static Decided topics(QuorumCommand.CreateTopics create, long random, MetadataEntry.Cause cause) {
        List<MetadataRecord> records = new ArrayList<>();
        List<QuorumReply.Topics.Result> results = new ArrayList<>();
        for (QuorumCommand.NewTopic topic : create.topics()) {
            TopicId id = new TopicId(random, topic.name().hashCode());
            records.add(new MetadataRecord.TopicCreated(topic.name(), id));
            topic.configs()
                    .forEach((key, value) ->
                            records.add(new MetadataRecord.ConfigSet(ConfigResource.topic(topic.name()), key, value)));
            results.add(new QuorumReply.Topics.Result(topic.name(), id, 0, 0, ErrorCode.NONE, ""));
        }
        return new Decided(records, new QuorumReply.Topics(results), cause);
    }

    private static QuorumReply refused(String message) {
        return new QuorumReply.Refused(ErrorCode.INVALID_REQUEST, message);
    }

    @Override
    public Beat heartbeat(long term, ClusterImage applied, QuorumQuery.Heartbeat heartbeat, MonoTime now) {
        boolean fenced = applied.broker(heartbeat.brokerId()) == null
                || applied.broker(heartbeat.brokerId()).fenced();
        QuorumCommand unfence = fenced && !heartbeat.wantFence() && applied.broker(heartbeat.brokerId()) != null
                ? new QuorumCommand.UnfenceBroker(new BrokerRef(heartbeat.brokerId(), heartbeat.brokerEpoch()))
                : null;
        return new Beat(ErrorCode.NONE, true, fenced, heartbeat.wantShutDown(), unfence);
    }

    @Override
    public List<BrokerRef> expired(long term, ClusterImage applied, MonoTime now) {
        return List.of();
    }

    @Override
    public List<QuorumCommand> duties(long term, ClusterImage applied, MonoTime now) {
        return List.of();
    }

    @Override
    public Watching watch(long term, ClusterImage applied, MonoTime now) {
        return new Watching(List.of(), now.plus(1_000));
    }

    @Override
    public void connection(long term, BrokerRef broker, ProcessWatch.Event event, MonoTime now) {}

    @Override
    public Map<Integer, String> fastPathOff() {
        return Map.of();
    }

    @Override
    public void finished(QuorumCommand command) {
        // Nothing is remembered of commands under way.
    }
}
