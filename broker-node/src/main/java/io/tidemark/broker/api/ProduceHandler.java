package io.tidemark.broker.api;

import io.tidemark.broker.net.Call;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.runtime.Counted;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.TopicState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.apache.kafka.storage.internals.log.RecordValidationException;

/** Produce: hands each partition's batch to its loop and answers when the last of them is decided (R5.1-R5.11). */
public final class ProduceHandler implements ApiHandler {
    private final Supplier<ClusterImage> image;
    private final Partitions partitions;

    public ProduceHandler(Supplier<ClusterImage> image, Partitions partitions) {
        this.image = image;
        this.partitions = partitions;
    }

    @Override
    public void handle(Call call) {
        ProduceRequest request = (ProduceRequest) call.body();
        PartitionLoop home = partitions.loop(call.loopIndex());
        long deadlineMs =
                home.refreshTime().plus(Math.max(0, request.timeout())).ms();
        home.tally().add(Counted.PRODUCE_REQUESTS, 1);
        Pending pending = new Pending(call, request, home);
        TopicNames names = new TopicNames(image.get());
        Errors refusal = refusal(request);
        for (ProduceRequestData.TopicProduceData topicData : request.data().topicData()) {
            TopicState topic = names.topic(topicData.name(), topicData.topicId());
            ProduceResponseData.TopicProduceResponse rows = pending.topic(topicData);
            for (ProduceRequestData.PartitionProduceData data : topicData.partitionData()) {
                ProduceResponseData.PartitionProduceResponse row = Pending.row(rows, data.index());
                if (refusal != Errors.NONE) {
                    pending.refuse(row, refusal, null);
                } else if (topic == null) {
                    pending.refuse(row, TopicNames.unknown(topicData.topicId()), null);
                } else if (Topic.isInternal(topic.name())) { // R5.25: only coordinators write to those
                    pending.refuse(row, Errors.INVALID_TOPIC_EXCEPTION, null);
                } else {
                    produce(topic, data, row, pending, request.acks(), deadlineMs);
                }
            }
        }
        pending.oneDone();
    }

    private static Errors refusal(ProduceRequest request) {
        if (request.acks() < -1 || request.acks() > 1) {
            return Errors.INVALID_REQUIRED_ACKS;
        }
        // Transactional producers are turned away when they ask for their id; a batch of theirs has no transaction
        // here.
        return request.transactionalId() == null ? Errors.NONE : Errors.INVALID_TXN_STATE;
    }

    private void produce(
            TopicState topic,
            ProduceRequestData.PartitionProduceData data,
            ProduceResponseData.PartitionProduceResponse row,
            Pending pending,
            short acks,
            long deadlineMs) {
        PartitionId id = TopicNames.partition(topic, data.index());
        TopicPartition name = new TopicPartition(topic.name(), data.index());
        ProducedBatch batch;
        try {
            batch = ProducedBatch.of(name, (MemoryRecords) data.records(), pending.call, pending.new RowOutcome(row));
        } catch (ApiException e) {
            pending.refuse(row, Errors.forException(e), e.getMessage());
            return;
        }
        pending.waiting++;
        PartitionLoop loop = partitions.loopOf(id);
        loop.execute(new Runnable() {
            @Override
            public void run() {
                PartitionHost host = loop.host(id);
                if (host == null) {
                    pending.decided(row, TopicNames.notHosted(topic, data.index()), null);
                    batch.release();
                } else {
                    host.produce(batch, acks, deadlineMs);
                }
            }
        });
    }

    /** One request until all its partitions are decided; belongs to the connection's loop. */
    private static final class Pending {
        private final Call call;
        private final ProduceRequest request;
        private final PartitionLoop home;
        private final ProduceResponseData response = new ProduceResponseData();
        /** Partitions not decided yet, and one for the request being taken apart. */
        private int waiting = 1;

        private Pending(Call call, ProduceRequest request, PartitionLoop home) {
            this.call = call;
            this.request = request;
            this.home = home;
        }

        private ProduceResponseData.TopicProduceResponse topic(ProduceRequestData.TopicProduceData topicData) {
            ProduceResponseData.TopicProduceResponse topic = new ProduceResponseData.TopicProduceResponse()
                    .setName(topicData.name())
                    .setTopicId(topicData.topicId());
            response.responses().add(topic);
            return topic;
        }

        private static ProduceResponseData.PartitionProduceResponse row(
                ProduceResponseData.TopicProduceResponse topic, int partition) {
            ProduceResponseData.PartitionProduceResponse row = new ProduceResponseData.PartitionProduceResponse()
                    .setIndex(partition)
                    .setBaseOffset(-1)
                    .setLogStartOffset(-1)
                    .setLogAppendTimeMs(-1);
            topic.partitionResponses().add(row);
            return row;
        }

        private void refuse(ProduceResponseData.PartitionProduceResponse row, Errors error, String message) {
            home.tally().add(Counted.FAILED_PRODUCES, 1);
            row.setErrorCode(error.code()).setErrorMessage(message);
        }

        private void decided(ProduceResponseData.PartitionProduceResponse row, Errors error, String message) {
            home.execute(() -> {
                refuse(row, error, message);
                oneDone();
            });
        }

        /** Takes what became of a batch to its row. */
        private final class RowOutcome implements ProducedBatch.Outcome {
            private final ProduceResponseData.PartitionProduceResponse row;

            private RowOutcome(ProduceResponseData.PartitionProduceResponse row) {
                this.row = row;
            }

            @Override
            public void known(
                    ReplicaError error,
                    long base,
                    long logStart,
                    long logAppendTimeMs,
                    String message,
                    RuntimeException cause) {
                home.execute(new Runnable() {
                    @Override
                    public void run() {
                        if (cause != null) {
                            explain(row, cause);
                        } else if (error != ReplicaError.NONE) {
                            refuse(row, ReplicaErrors.onWire(error), message);
                        } else {
                            row.setBaseOffset(base).setLogStartOffset(logStart).setLogAppendTimeMs(logAppendTimeMs);
                        }
                        oneDone();
                    }
                });
            }
        }

        private void explain(ProduceResponseData.PartitionProduceResponse row, RuntimeException cause) {
            if (cause instanceof RecordValidationException invalid) {
                List<ProduceResponseData.BatchIndexAndErrorMessage> errors = new ArrayList<>();
                invalid.recordErrors()
                        .forEach(error -> errors.add(new ProduceResponseData.BatchIndexAndErrorMessage()
                                .setBatchIndex(error.batchIndex)
                                .setBatchIndexErrorMessage(error.message)));
                refuse(
                        row,
                        Errors.forException(invalid.invalidException()),
                        invalid.invalidException().getMessage());
                row.setRecordErrors(errors);
            } else {
                refuse(row, Errors.forException(cause), cause.getMessage());
            }
        }

        private void oneDone() {
            if (--waiting > 0) {
                return;
            }
            if (request.acks() != 0) {
                call.respond(new ProduceResponse(response));
                return;
            }
            for (ProduceResponseData.TopicProduceResponse topic : response.responses()) {
                for (ProduceResponseData.PartitionProduceResponse row : topic.partitionResponses()) {
                    if (row.errorCode() != Errors.NONE.code()) {
                        // R5.2: the only way to tell a producer that does not wait for answers.
                        call.closeConnection("produce with acks=0 failed: " + Errors.forCode(row.errorCode()));
                        return;
                    }
                }
            }
            call.respondEmpty();
        }
    }
}
