package io.tidemark.broker.scenario;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;

/**
 * Records as scenarios write them: "0..99@0 [100..109]@1 110@1:x". The same text is the same bytes: a record's timestamp is
 * its offset, its value offset@epoch unless one is given, and a batch of several records is compressed.
 */
final class RecordText {
    private static final Pattern PART = Pattern.compile("(\\[)?(\\d+)(?:\\.\\.(\\d+))?]?@(\\d+)(?::(\\S+))?");

    private RecordText() {}

    /** Who wrote a batch with sequences. */
    record Sequenced(long producerId, short producerEpoch, int first) {}

    /** The batches of a log. */
    static List<ByteBuffer> batches(String text) {
        List<ByteBuffer> batches = new ArrayList<>();
        for (String part : text.isBlank() ? new String[0] : text.trim().split(" ")) {
            Matcher matcher = PART.matcher(part);
            if (!matcher.matches()) {
                throw new ScenarioException("'" + part + "' is no batch such as 5@0, 0..99@0, [5..9]@1 or 5@1:x");
            }
            long from = Long.parseLong(matcher.group(2));
            long to = matcher.group(3) == null ? from : Long.parseLong(matcher.group(3));
            int epoch = Integer.parseInt(matcher.group(4));
            List<String> values =
                    matcher.group(5) == null ? null : List.of(matcher.group(5).split(","));
            if (matcher.group(1) != null) {
                batches.add(batch(from, epoch, valuesOr(values, from, to, epoch), null));
            } else {
                for (long offset = from; offset <= to; offset++) {
                    batches.add(batch(offset, epoch, valuesOr(values, offset, offset, epoch), null));
                }
            }
        }
        return batches;
    }

    private static List<String> valuesOr(List<String> given, long from, long to, int epoch) {
        return given != null ? given : usual(from, (int) (to - from + 1), epoch);
    }

    /** Values of so many records that have none of their own. */
    static List<String> usual(long base, int count, int epoch) {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(base + i + "@" + epoch);
        }
        return values;
    }

    static ByteBuffer batch(long base, int epoch, List<String> values, Sequenced by) {
        SimpleRecord[] records = new SimpleRecord[values.size()];
        for (int i = 0; i < records.length; i++) {
            records[i] = new SimpleRecord(base + i, values.get(i).getBytes(StandardCharsets.UTF_8));
        }
        Compression compression = records.length > 1 ? Compression.gzip().build() : Compression.NONE;
        MemoryRecords made = by == null
                ? MemoryRecords.withRecords(base, compression, epoch, records)
                : MemoryRecords.withIdempotentRecords(
                        base, compression, by.producerId(), by.producerEpoch(), by.first(), epoch, records);
        return made.buffer();
    }

    /** Records of one epoch whose offsets follow each other and whose values say nothing, as one range. */
    static String of(List<ByteBuffer> batches) {
        StringBuilder text = new StringBuilder();
        long from = -1;
        long next = -1;
        int of = -1;
        for (ByteBuffer bytes : batches) {
            for (RecordBatch batch : MemoryRecords.readableRecords(bytes).batches()) {
                batch.ensureValid();
                List<String> values = values(batch);
                int epoch = batch.partitionLeaderEpoch();
                boolean plain = values.equals(usual(batch.baseOffset(), values.size(), epoch));
                if (plain && values.size() == 1 && from >= 0 && batch.baseOffset() == next && epoch == of) {
                    next++;
                    continue;
                }
                close(text, from, next, of);
                from = -1;
                if (plain && values.size() == 1) {
                    from = batch.baseOffset();
                    next = from + 1;
                    of = epoch;
                } else {
                    String range = batch.baseOffset() == batch.lastOffset()
                            ? String.valueOf(batch.baseOffset())
                            : "[" + batch.baseOffset() + ".." + batch.lastOffset() + "]";
                    text.append(text.length() == 0 ? "" : " ")
                            .append(range)
                            .append('@')
                            .append(epoch);
                    text.append(plain ? "" : ":" + String.join(",", values));
                }
            }
        }
        close(text, from, next, of);
        return text.length() == 0 ? "nothing" : text.toString();
    }

    private static void close(StringBuilder text, long from, long next, int epoch) {
        if (from >= 0) {
            text.append(text.length() == 0 ? "" : " ").append(from);
            text.append(next - 1 > from ? ".." + (next - 1) : "").append('@').append(epoch);
        }
    }

    private static List<String> values(RecordBatch batch) {
        List<String> values = new ArrayList<>();
        for (Record record : batch) {
            values.add(StandardCharsets.UTF_8.decode(record.value()).toString());
        }
        return values;
    }
}
