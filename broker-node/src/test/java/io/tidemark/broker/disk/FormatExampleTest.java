package io.tidemark.broker.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.log.BatchHeader;
import io.tidemark.broker.log.ProducerStates;
import io.tidemark.broker.log.ProducerVerdict;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The worked examples of FORMAT.md are what the code reads and writes. */
class FormatExampleTest {
    private static byte[] example(String name) throws IOException {
        String page = Files.readString(Path.of("FORMAT.md"));
        Matcher block =
                Pattern.compile("```hex " + name + "\n(.*?)```", Pattern.DOTALL).matcher(page);
        assertThat(block.find()).isTrue();
        return HexFormat.of().parseHex(block.group(1).replaceAll("\\s", ""));
    }

    @Test
    void theBatchOfTheExample() throws IOException {
        ByteBuffer segment = ByteBuffer.wrap(example("segment"));
        BatchHeader header = BatchHeader.read(segment, 0);

        assertThat(header.isPlausible()).isTrue();
        assertThat(header.sizeInBytes()).isEqualTo(85).isEqualTo(segment.limit());
        assertThat(BatchHeader.checksumMatches(segment, 0, 85)).isTrue();
        assertThat(header.baseOffset()).isEqualTo(41);
        assertThat(header.nextOffset()).isEqualTo(43);
        assertThat(header.leaderEpoch()).isEqualTo(7);
        assertThat(header.baseTimestamp()).isEqualTo(1_700_000_000_000L);
        assertThat(header.maxTimestamp()).isEqualTo(1_700_000_000_250L);
        assertThat(header.producerId()).isEqualTo(4000);
        assertThat(header.producerEpoch()).isEqualTo((short) 2);
        assertThat(header.baseSequence()).isEqualTo(9);
        assertThat(header.lastSequence()).isEqualTo(10);
        assertThat(header.count()).isEqualTo(2);
        assertThat(header.isControl() || header.isTransactional()).isFalse();
    }

    @Test
    void offsetAndEpochAreOutsideTheChecksumAndNothingElseIs() throws IOException {
        ByteBuffer segment = ByteBuffer.wrap(example("segment"));
        BatchHeader.assign(segment, 0, 1234, 99);
        assertThat(BatchHeader.read(segment, 0).baseOffset()).isEqualTo(1234);
        assertThat(BatchHeader.read(segment, 0).leaderEpoch()).isEqualTo(99);
        assertThat(BatchHeader.checksumMatches(segment, 0, 85)).isTrue();
        for (int at = 17; at < 85; at++) {
            segment.put(at, (byte) (segment.get(at) ^ 4));
            assertThat(BatchHeader.checksumMatches(segment, 0, 85)).isFalse();
            segment.put(at, (byte) (segment.get(at) ^ 4));
        }
    }

    @Test
    void theKeyOfTheExample() throws IOException {
        PartitionId log = new PartitionId(new TopicId(7, 9), 3);
        assertThat(IndexKeys.of(log, IndexKeys.ENTRY, 41, 41)).isEqualTo(example("key"));
    }

    @Test
    void theProducersOfTheExample() throws IOException {
        byte[] bytes = example("producers");
        ProducerStates states = ProducerStates.fromBytes(bytes).orElseThrow();
        assertThat(states.check(4000, (short) 2, 9, 10))
                .isEqualTo(new ProducerVerdict.Duplicate(41, 42, 1_700_000_000_250L));
        assertThat(states.toBytes()).isEqualTo(bytes);
        ProducerStates fromBatch = new ProducerStates();
        fromBatch.append(BatchHeader.read(ByteBuffer.wrap(example("segment")), 0));
        assertThat(fromBatch).isEqualTo(states);
    }
}
