package io.tidemark.broker.drill;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What was promised compared with what was read back, for one partition and one producer that numbers its records
 * upwards.
 *
 * @param acked records acknowledged
 * @param read records read back
 * @param lost acknowledged, and not read at all
 * @param wrongOffset acknowledged, and read, but not at the offset they were acknowledged at
 * @param duplicated reads of a record that was read before
 * @param outOfOrder reads of a record after one with a higher number, repeats aside
 */
public record Verdict(long acked, long read, long lost, long wrongOffset, long duplicated, long outOfOrder) {

    /**
     * @param acks offset by record number; {@link AckLedger#UNKNOWN_OFFSET} matches any offset
     * @param records in the order they were read
     */
    public static Verdict of(Map<Long, Long> acks, List<ReadRecord> records) {
        Map<Long, Set<Long>> offsetsByNumber = new HashMap<>();
        long duplicated = 0;
        long outOfOrder = 0;
        long highest = Long.MIN_VALUE;
        for (ReadRecord record : records) {
            Set<Long> offsets = offsetsByNumber.computeIfAbsent(record.number(), number -> new HashSet<>());
            if (!offsets.isEmpty()) {
                duplicated++;
            } else if (record.number() < highest) {
                outOfOrder++;
            }
            offsets.add(record.offset());
            highest = Math.max(highest, record.number());
        }
        long lost = 0;
        long wrongOffset = 0;
        for (Map.Entry<Long, Long> ack : acks.entrySet()) {
            Set<Long> offsets = offsetsByNumber.get(ack.getKey());
            if (offsets == null) {
                lost++;
            } else if (ack.getValue() != AckLedger.UNKNOWN_OFFSET && !offsets.contains(ack.getValue())) {
                wrongOffset++;
            }
        }
        return new Verdict(acks.size(), records.size(), lost, wrongOffset, duplicated, outOfOrder);
    }

    /** Whether every promise was kept; a drill in which nothing was promised proves nothing. */
    public boolean kept() {
        return acked > 0 && lost == 0 && wrongOffset == 0 && duplicated == 0 && outOfOrder == 0;
    }
}
