package io.tidemark.broker.explore;

import java.util.ArrayList;
import java.util.List;

/**
 * What lay below the mark of some leader at some time: it may have been acknowledged, or read.
 *
 * @param records epoch of the record at each offset, from 0
 * @param by leader epoch of the first leader that exposed it
 */
record Exposed(List<Integer> records, List<Integer> by) {
    static final Exposed NOTHING = new Exposed(List.of(), List.of());

    Exposed {
        records = List.copyOf(records);
        by = List.copyOf(by);
    }

    /** With what that leader exposes; throws {@link Breach} if it is not what was exposed there before. */
    Exposed with(Brokers.Face leader) {
        List<Integer> log = leader.log().records();
        for (int offset = 0; offset < Math.min(leader.mark(), records.size()); offset++) {
            if (!log.get(offset).equals(records.get(offset))) {
                throw new Breach("I13: leader " + leader.id() + " exposes " + offset + "@" + log.get(offset) + " where "
                        + offset + "@" + records.get(offset) + " was exposed before");
            }
        }
        if (leader.mark() <= records.size()) {
            return this;
        }
        List<Integer> more = new ArrayList<>(records);
        List<Integer> whose = new ArrayList<>(by);
        for (int offset = records.size(); offset < leader.mark(); offset++) {
            more.add(log.get(offset));
            whose.add(leader.leaderEpoch());
        }
        return new Exposed(more, whose);
    }

    /** The first offset that the log lacks of what leaders before {@code epoch} exposed; -1 if it has all of it. */
    int missing(RecordLog log, int epoch) {
        for (int offset = 0; offset < records.size(); offset++) {
            boolean there = offset < log.end() && log.records().get(offset).equals(records.get(offset));
            if (!there && by.get(offset) < epoch) {
                return offset;
            }
        }
        return -1;
    }

    int end() {
        return records.size();
    }
}
