package io.tidemark.broker.api;

import io.tidemark.broker.runtime.MetadataWaiter;
import io.tidemark.broker.runtime.QuorumMembership;
import io.tidemark.broker.runtime.QuorumPort;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumQuery.Member;
import io.tidemark.model.metadata.QuorumQuery.MembersAnswer;
import io.tidemark.model.metadata.QuorumQuery.Recovery;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.QuorumReply.Topics.Result;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** A quorum of one that decides with few rules and folds its records into real images, at once or when told to. */
final class FakeQuorum implements QuorumPort, QuorumMembership, MetadataWaiter, Supplier<ClusterImage> {
    final List<QuorumCommand> commands = new CopyOnWriteArrayList<>();
    private final List<Runnable> waiting = new ArrayList<>();
    private ClusterImage decided = ClusterImage.EMPTY;
    private ClusterImage visible = ClusterImage.EMPTY;
    private boolean feedStopped;
    private boolean silent;
    private int voids;
    private QuorumReply refusal;
    private long topicIds;

    @Override
    public synchronized ClusterImage get() {
        return visible;
    }

    synchronized void apply(MetadataRecord... records) {
        fold(List.of(records), new QuorumReply.Done());
    }

    /** A broker with one endpoint per listener name given, unfenced. */
    synchronized void register(int id, String rack, Endpoint... endpoints) {
        long epoch = decided.index() + 1;
        apply(new MetadataRecord.BrokerRegistered(
                id, -1, "incarnation-" + id, List.of("dir"), List.of(endpoints), rack, "", 1, 1, true));
        apply(new MetadataRecord.BrokerUnfenced(id, epoch));
    }

    synchronized void fence(int id) {
        apply(new MetadataRecord.BrokerFenced(id, decided.broker(id).epoch()));
    }

    /** From now on decisions are answered, but the broker's image stays. */
    synchronized void stopFeed() {
        feedStopped = true;
    }

    synchronized void resumeFeed() {
        feedStopped = false;
        show();
    }

    /** From now on nothing is answered. */
    synchronized void silence() {
        silent = true;
    }

    /** The next command is refused as a whole. */
    synchronized void refuseNext(ErrorCode error) {
        refusal = new QuorumReply.Refused(error, "as the test wants it");
    }

    /** The next commands become void entries. */
    synchronized void voidNext(int count) {
        voids = count;
    }

    /** Controller 101 leads at term 7, 102 has nothing yet and was never heard of, broker 1 follows. */
    @Override
    public synchronized CompletionStage<MembersAnswer> members() {
        return silent
                ? CompletableFuture.failedFuture(new TimeoutException("as the test wants it"))
                : CompletableFuture.completedFuture(new MembersAnswer(
                        101,
                        7,
                        40,
                        41,
                        List.of(
                                new Member(101, "one:19101", 41, 5_000, 5_000),
                                new Member(102, "two:19102", -1, -1, -1)),
                        false,
                        List.of(new Member(1, "", 39, 4_500, 4_000)),
                        Recovery.NONE));
    }

    @Override
    public CompletionStage<QuorumReply.Answer> attempt(QuorumCommand command) {
        return submit(command);
    }

    @Override
    public synchronized CompletionStage<QuorumReply.Answer> submit(QuorumCommand command) {
        commands.add(command);
        if (silent) {
            return new CompletableFuture<>();
        }
        if (voids > 0) {
            voids--;
            return CompletableFuture.completedFuture(
                    new QuorumReply.Answer(decided.index(), new QuorumReply.Refused(ErrorCode.VOID_ENTRY, "void")));
        }
        List<MetadataRecord> records = new ArrayList<>();
        QuorumReply reply = refusal != null ? refusal : decide(command, records);
        refusal = null;
        fold(records, reply);
        return CompletableFuture.completedFuture(new QuorumReply.Answer(decided.index(), reply));
    }

    @Override
    public synchronized CompletionStage<Void> whenApplied(long index) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (visible.index() >= index) {
            done.complete(null);
        } else {
            waiting.add(() -> done.complete(null));
        }
        return done;
    }

    private void fold(List<MetadataRecord> records, QuorumReply reply) {
        MetadataEntry.Cause cause = new MetadataEntry.Cause("test", -1, -1, "", "");
        decided = decided.apply(decided.index() + 1, new MetadataEntry(decided.tip(), 1, cause, records, reply));
        if (!feedStopped) {
            show();
        }
    }

    private void show() {
        visible = decided;
        waiting.forEach(Runnable::run);
        waiting.clear();
    }

    private QuorumReply decide(QuorumCommand command, List<MetadataRecord> records) {
        List<Result> results = new ArrayList<>();
        if (command instanceof QuorumCommand.CreateTopics create) {
            create.topics().forEach(topic -> results.add(create(topic, create.validateOnly(), records)));
        } else if (command instanceof QuorumCommand.DeleteTopics delete) {
            delete.topics().forEach(topic -> results.add(delete(topic, records)));
        } else if (command instanceof QuorumCommand.CreatePartitions grow) {
            grow.topics().forEach(topic -> results.add(grow(topic, grow.validateOnly(), records)));
        } else if (command instanceof QuorumCommand.AllocateProducerIds allocate) {
            long first = decided.nextProducerId();
            records.add(
                    new MetadataRecord.ProducerIdsAllocated(allocate.brokerId(), allocate.brokerEpoch(), first + 1000));
            return new QuorumReply.ProducerIds(first, 1000);
        } else if (command instanceof QuorumCommand.AlterConfigs alter) {
            return new QuorumReply.Rows(alter.changes().stream()
                    .map(change -> change.resource().type() == ConfigResource.Type.TOPIC
                                    && decided.topic(change.resource().name()) == null
                            ? new QuorumReply.Rows.Row(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "unknown")
                            : QuorumReply.Rows.Row.DONE)
                    .toList());
        } else if (command instanceof QuorumCommand.ElectLeaders elect) {
            return new QuorumReply.Rows(elect.partitions().stream()
                    .map(id -> QuorumReply.Rows.Row.DONE)
                    .toList());
        } else if (command instanceof QuorumCommand.AlterReassignments alter) {
            return new QuorumReply.Rows(alter.partitions().stream()
                    .map(row -> row.target() == null
                            ? new QuorumReply.Rows.Row(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, "none")
                            : QuorumReply.Rows.Row.DONE)
                    .toList());
        } else if (command instanceof QuorumCommand.UnregisterBroker gone) {
            return decided.broker(gone.brokerId()) != null
                    ? new QuorumReply.Done()
                    : new QuorumReply.Refused(ErrorCode.BROKER_ID_NOT_REGISTERED, "unknown");
        } else {
            throw new IllegalArgumentException(command.toString());
        }
        return new QuorumReply.Topics(results);
    }

    private Result create(QuorumCommand.NewTopic topic, boolean validateOnly, List<MetadataRecord> records) {
        if (decided.topic(topic.name()) != null) {
            return failed(topic.name(), TopicId.ZERO, ErrorCode.TOPIC_ALREADY_EXISTS);
        }
        int factor = topic.replicationFactor() < 0 ? 1 : topic.replicationFactor();
        if (factor > decided.brokers().size()) {
            return failed(topic.name(), TopicId.ZERO, ErrorCode.INVALID_REPLICATION_FACTOR);
        }
        TopicId id = new TopicId(77, ++topicIds);
        int count = topic.assignment().isEmpty()
                ? (topic.partitions() < 0 ? 1 : topic.partitions())
                : topic.assignment().size();
        if (!validateOnly) {
            records.add(new MetadataRecord.TopicCreated(topic.name(), id));
            topic.configs()
                    .forEach((key, value) ->
                            records.add(new MetadataRecord.ConfigSet(ConfigResource.topic(topic.name()), key, value)));
            for (int i = 0; i < count; i++) {
                records.add(created(id, i, factor));
            }
        }
        return new Result(topic.name(), id, count, factor, ErrorCode.NONE, "");
    }

    private MetadataRecord.PartitionCreated created(TopicId id, int partition, int factor) {
        List<Integer> replicas =
                decided.brokers().keySet().stream().sorted().limit(factor).toList();
        return new MetadataRecord.PartitionCreated(
                PartitionState.created(new PartitionId(id, partition), replicas, replicas, replicas.get(0)));
    }

    private Result delete(QuorumCommand.TopicRef ref, List<MetadataRecord> records) {
        boolean named = !ref.name().isEmpty();
        TopicState topic = named ? decided.topic(ref.name()) : decided.topic(ref.topicId());
        if (topic == null) {
            return failed(
                    ref.name(),
                    ref.topicId(),
                    named ? ErrorCode.UNKNOWN_TOPIC_OR_PARTITION : ErrorCode.UNKNOWN_TOPIC_ID);
        }
        records.add(new MetadataRecord.TopicDeleted(topic.id()));
        return new Result(topic.name(), topic.id(), -1, -1, ErrorCode.NONE, "");
    }

    private Result grow(QuorumCommand.Growth growth, boolean validateOnly, List<MetadataRecord> records) {
        TopicState topic = decided.topic(growth.name());
        if (topic == null) {
            return failed(growth.name(), TopicId.ZERO, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION);
        }
        if (growth.count() <= topic.partitions().size()) {
            return failed(growth.name(), topic.id(), ErrorCode.INVALID_PARTITIONS);
        }
        for (int i = topic.partitions().size(); i < growth.count() && !validateOnly; i++) {
            records.add(created(topic.id(), i, 1));
        }
        return new Result(growth.name(), topic.id(), growth.count(), 1, ErrorCode.NONE, "");
    }

    private static Result failed(String name, TopicId id, ErrorCode error) {
        return new Result(name, id, -1, -1, error, "refused: " + error);
    }
}
