package io.tidemark.broker.explore;

import io.tidemark.model.EpochHistory;
import java.util.List;

/**
 * What a disk holds of the partition. A record is named by the leader epoch that wrote it: with its offset that says all of
 * it, since an epoch has one leader (I7) that writes an offset once.
 *
 * @param records epoch of the record at each offset, from 0
 * @param epochs the checkpoint
 */
record RecordLog(List<Integer> records, EpochHistory epochs) {
    static final RecordLog EMPTY = new RecordLog(List.of(), EpochHistory.EMPTY);

    RecordLog {
        records = List.copyOf(records);
    }

    int end() {
        return records.size();
    }

    /** Without what lies at or above {@code end} (R6.22). */
    RecordLog cut(int end) {
        return new RecordLog(records.subList(0, end), epochs.truncateFromEnd(end));
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int offset = 0; offset < records.size(); offset++) {
            text.append(offset == 0 ? "" : " ").append(offset).append('@').append(records.get(offset));
        }
        return text.toString();
    }
}
