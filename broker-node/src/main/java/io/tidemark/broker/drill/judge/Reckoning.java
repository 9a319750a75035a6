package io.tidemark.broker.drill.judge;

import io.tidemark.broker.drill.AckLedger;
import io.tidemark.broker.drill.ReadRecord;
import io.tidemark.broker.drill.Verdict;
import io.tidemark.broker.drill.judge.Promises.Ledger;
import io.tidemark.broker.drill.judge.Promises.Reader;
import io.tidemark.broker.drill.plan.Measure;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compares promises with what is there, and adds up over partitions; keeps some examples of each breach. */
public final class Reckoning {
    private static final int EXAMPLES = 10;

    private final Map<Measure, Long> counts = new EnumMap<>(Measure.class);
    private final Map<Measure, List<String>> examples = new EnumMap<>(Measure.class);
    private long acked;
    private long ackedOne;

    public Reckoning() {
        for (Measure measure : List.of(
                Measure.LOST,
                Measure.WRONG_OFFSET,
                Measure.DUPLICATED,
                Measure.REORDERED,
                Measure.VANISHED,
                Measure.UNSEEN,
                Measure.ACKS_ONE_LOST,
                Measure.REPEATED,
                Measure.GIVEN_UP)) {
            counts.put(measure, 0L);
        }
    }

    /** Adds one partition. */
    public void add(Promises promises) {
        for (Ledger ledger : promises.ledgers()) {
            add(promises, ledger);
        }
        Map<Long, Long> numberByOffset = new HashMap<>();
        promises.records().forEach(record -> numberByOffset.put(record.offset(), record.number()));
        for (Reader reader : promises.readers()) {
            add(promises, reader, numberByOffset);
        }
    }

    private void add(Promises promises, Ledger ledger) {
        List<ReadRecord> own = promises.records().stream()
                .filter(record -> record.number() / Promises.NUMBERS_PER_PRODUCER == ledger.index())
                .toList();
        Verdict verdict = Verdict.of(ledger.acks(), own);
        count(Measure.GIVEN_UP, ledger.givenUp());
        if (ledger.producer().idempotent()) {
            count(Measure.DUPLICATED, verdict.duplicated());
            count(Measure.REORDERED, verdict.outOfOrder());
        } else {
            count(Measure.REPEATED, verdict.duplicated());
        }
        if (ledger.producer().promises()) {
            acked += verdict.acked();
            count(Measure.LOST, verdict.lost());
            count(Measure.WRONG_OFFSET, verdict.wrongOffset());
        } else {
            ackedOne += verdict.acked();
            count(Measure.ACKS_ONE_LOST, verdict.lost() + verdict.wrongOffset());
        }
        if (verdict.lost() + verdict.wrongOffset() > 0) {
            showMissing(promises, ledger, own);
        }
        if (verdict.duplicated() > 0) {
            showRepeats(promises, ledger, own);
        }
    }

    private void showMissing(Promises promises, Ledger ledger, List<ReadRecord> own) {
        Map<Long, Set<Long>> offsets = new HashMap<>();
        own.forEach(record -> offsets.computeIfAbsent(record.number(), number -> new HashSet<>())
                .add(record.offset()));
        ledger.acks().forEach((number, offset) -> {
            Set<Long> found = offsets.get(number);
            if (found == null) {
                example(
                        ledger.producer().promises() ? Measure.LOST : Measure.ACKS_ONE_LOST,
                        name(promises, ledger, number) + ", acked at offset " + offset + ", is nowhere");
            } else if (offset != AckLedger.UNKNOWN_OFFSET && !found.contains(offset)) {
                example(
                        ledger.producer().promises() ? Measure.WRONG_OFFSET : Measure.ACKS_ONE_LOST,
                        name(promises, ledger, number) + ", acked at offset " + offset + ", is at " + found);
            }
        });
    }

    private void showRepeats(Promises promises, Ledger ledger, List<ReadRecord> own) {
        Map<Long, Long> first = new HashMap<>();
        for (ReadRecord record : own) {
            Long before = first.putIfAbsent(record.number(), record.offset());
            if (before != null) {
                example(
                        ledger.producer().idempotent() ? Measure.DUPLICATED : Measure.REPEATED,
                        name(promises, ledger, record.number()) + " is at " + before + " and at " + record.offset());
            }
        }
    }

    private static String name(Promises promises, Ledger ledger, long number) {
        return promises.partition() + ": record " + number % Promises.NUMBERS_PER_PRODUCER + " of "
                + ledger.producer().name();
    }

    private void add(Promises promises, Reader reader, Map<Long, Long> numberByOffset) {
        Set<ReadRecord> seen = new HashSet<>(reader.reads());
        for (ReadRecord read : seen) {
            Long number = numberByOffset.get(read.offset());
            if (number == null || number != read.number()) {
                count(Measure.VANISHED, 1);
                example(
                        Measure.VANISHED,
                        promises.partition() + ": " + reader.name() + " read record " + read.number() + " at offset "
                                + read.offset() + ", where now "
                                + (number == null ? "nothing is" : "record " + number + " is"));
            }
        }
        for (ReadRecord record : promises.records()) {
            if (!seen.contains(record)) {
                count(Measure.UNSEEN, 1);
                example(
                        Measure.UNSEEN,
                        promises.partition() + ": " + reader.name() + " was never given offset " + record.offset());
            }
        }
    }

    private void count(Measure measure, long more) {
        counts.merge(measure, more, Long::sum);
    }

    private void example(Measure measure, String words) {
        List<String> known = examples.computeIfAbsent(measure, key -> new ArrayList<>());
        if (known.size() < EXAMPLES) {
            known.add(words);
        }
    }

    public Map<Measure, Long> counts() {
        return Map.copyOf(counts);
    }

    /** Up to ten for each measure. */
    public Map<Measure, List<String>> examples() {
        return Map.copyOf(examples);
    }

    /** Records acknowledged with acks=all. */
    public long acked() {
        return acked;
    }

    /** Records acknowledged with acks=1. */
    public long ackedOne() {
        return ackedOne;
    }
}
