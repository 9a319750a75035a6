package io.tidemark.broker.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.EpochHistory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Any course of appends, rolls, cuts, deletions and restarts leaves what the same course leaves of a plain list. */
class LogModelTest {
    private record Batch(long base, int count, int epoch) {
        long next() {
            return base + count;
        }
    }

    /** What the log should be. */
    private static final class Model {
        final List<Batch> batches = new ArrayList<>();
        long start;
        long end;
        int epoch;

        EpochHistory epochs() {
            EpochHistory history = EpochHistory.EMPTY;
            for (Batch batch : batches) {
                history = history.assign(batch.epoch(), batch.base());
            }
            return history;
        }

        List<String> contents() {
            return batches.stream()
                    .map(batch -> batch.base() + "-" + (batch.next() - 1) + "@" + batch.epoch())
                    .toList();
        }

        void truncate(long target) {
            while (!batches.isEmpty() && batches.get(batches.size() - 1).next() > target) {
                end = batches.remove(batches.size() - 1).base();
            }
        }
    }

    @Property(tries = 60, shrinking = ShrinkingMode.BOUNDED)
    void behavesLikeAList(@ForAll @Size(min = 1, max = 40) List<@IntRange(min = 0, max = 9_999) Integer> steps)
            throws IOException {
        Path root = Files.createTempDirectory("log-model");
        LogSettings settings = LogSettings.DEFAULTS
                .withIndexSpacing(150, 300)
                .withHotBytes(400)
                .withFlushBytes(200);
        Model model = new Model();
        LogRig rig = LogRig.created(root, settings);
        try {
            for (int step : steps) {
                apply(step % 10, step / 10, model, rig);
                assertThat(rig.log.logEndOffset()).isEqualTo(model.end);
                assertThat(rig.log.stagedEndOffset()).isEqualTo(model.end);
                assertThat(rig.contents()).isEqualTo(model.contents());
                assertThat(rig.log.epochs()).isEqualTo(model.epochs());
                assertThat(rig.log.producers()).isEqualTo(producersOf(model));
            }
        } finally {
            rig.close();
            rig.disk.delete(root);
        }
    }

    /** Kinds 0 to 4 append, the others cut, roll, flush or restart; {@code number} (0 .. 999) chooses the details. */
    private static void apply(int kind, int number, Model model, LogRig rig) throws IOException {
        switch (kind) {
            case 5 -> {
                long target = model.start + (model.end == model.start ? 0 : number % (model.end - model.start + 2));
                rig.log.truncateTo(target);
                model.truncate(target);
            }
            case 6 -> rig.log.roll();
            case 7 -> {
                rig.flush();
                if (number % 20 == 0) {
                    rig.log.truncateFullyAndStartAt(number);
                    model.batches.clear();
                    model.start = number;
                    model.end = number;
                }
            }
            case 8 -> {
                rig.log.close();
                rig.open(new LogRecovery.Known(true, true, 0, 0, 0));
            }
            case 9 -> {
                rig.kill();
                boolean sameBoot = number % 2 == 0;
                OpenedLog opened =
                        rig.open(new LogRecovery.Known(false, sameBoot, 0, 0, sameBoot ? 0 : number % (model.end + 1)));
                assertThat(opened.cut()).isFalse();
            }
            default -> append(number, model, rig);
        }
    }

    private static void append(int number, Model model, LogRig rig) throws IOException {
        int batches = 1 + number % 3;
        if (number % 5 == 0) {
            model.epoch += 1 + number % 2;
        }
        ByteBuffer[] staged = new ByteBuffer[batches];
        for (int i = 0; i < batches; i++) {
            int count = 1 + (number + i) % 7;
            Batch batch = new Batch(model.end, count, model.epoch);
            staged[i] = encode(batch);
            model.batches.add(batch);
            model.end = batch.next();
        }
        rig.append(model.epoch, Batches.together(staged));
    }

    private static ByteBuffer encode(Batch batch) {
        long producer = batch.base() % 3;
        return Batches.idempotent(batch.base(), batch.epoch(), batch.count(), producer, (short) 0, (int) batch.base());
    }

    private static ProducerStates producersOf(Model model) {
        ProducerStates states = new ProducerStates();
        model.batches.forEach(batch -> states.append(BatchHeader.read(encode(batch), 0)));
        return states;
    }
}
