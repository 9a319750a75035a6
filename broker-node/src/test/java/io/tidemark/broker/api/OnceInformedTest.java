package io.tidemark.broker.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.net.Call;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.QuorumReply;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.ListOffsetsRequest;
import org.apache.kafka.common.requests.MetadataRequest;
import org.junit.jupiter.api.Test;

class OnceInformedTest {
    private final List<Call> handled = new ArrayList<>();
    private ClusterImage image = ClusterImage.EMPTY;
    private final OnceInformed gate = new OnceInformed(() -> image, handled::add);

    private boolean isCutOff(AbstractRequest request) {
        FakeCall call = new FakeCall(request);
        gate.handle(call);
        assertThat(handled.remove(call)).isNotEqualTo(call.answer.isCompletedExceptionally());
        return call.answer.isCompletedExceptionally();
    }

    @Test
    void nobodyIsToldThatATopicIsUnknownBeforeTheFirstMetadata() {
        AbstractRequest topics = MetadataRequest.Builder.allTopics().build();
        AbstractRequest offsets =
                ListOffsetsRequest.Builder.forReplica((short) 7, -1).build((short) 7);
        AbstractRequest versions = new ApiVersionsRequest.Builder().build();
        assertThat(isCutOff(topics)).isTrue();
        assertThat(isCutOff(offsets)).isTrue();
        assertThat(isCutOff(versions)).isFalse();
        image = image.apply(
                0,
                new MetadataEntry(
                        -1, 1, new MetadataEntry.Cause("test", -1, -1, "", ""), List.of(), new QuorumReply.Done()));
        assertThat(isCutOff(topics)).isFalse();
        assertThat(isCutOff(offsets)).isFalse();
        assertThat(isCutOff(versions)).isFalse();
    }
}
