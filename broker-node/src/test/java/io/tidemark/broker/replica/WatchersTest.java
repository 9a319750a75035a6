package io.tidemark.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Who is told what, by what has changed. */
class WatchersTest {
    private final Watchers watchers = new Watchers();

    /** As "names data?" in the order told. */
    private List<String> told(BiConsumer<Watchers, Effects> change) {
        Effects effects = new Effects();
        change.accept(watchers, effects);
        return effects.list().stream()
                .map(effect -> (Effect.Notify) effect)
                .map(World::words)
                .toList();
    }

    @Test
    void nobodyIsToldOfAnythingWithoutWatchers() {
        List<BiConsumer<Watchers, Effects>> changes = List.of(
                Watchers::dataArrived,
                Watchers::markMoved,
                Watchers::startMoved,
                Watchers::clientsTurnedAway,
                Watchers::allChanged);
        for (BiConsumer<Watchers, Effects> change : changes) {
            assertThat(told(change)).isEmpty();
        }
    }

    @Test
    void followersAndConsumersHearOfWhatConcernsThem() {
        watchers.add(1, true);
        watchers.add(2, true);
        watchers.add(7, false);
        assertThat(told(Watchers::dataArrived)).containsExactly("[1, 2] data");
        assertThat(told(Watchers::markMoved)).containsExactly("[7] data", "[1, 2]");
        assertThat(told(Watchers::startMoved)).containsExactly("[1, 2]");
        assertThat(told(Watchers::clientsTurnedAway)).containsExactly("[7] data");
        assertThat(told(Watchers::allChanged)).containsExactly("[7] data", "[1, 2] data");
    }

    @Test
    void whoeverIsRemovedHearsNothingMoreAndTheOthersDo() {
        for (long watcher = 1; watcher <= 4; watcher++) {
            watchers.add(watcher, true);
        }
        watchers.remove(2);
        assertThat(told(Watchers::dataArrived)).containsExactly("[1, 3, 4] data");
        watchers.remove(4);
        watchers.remove(9);
        assertThat(told(Watchers::dataArrived)).containsExactly("[1, 3] data");
        watchers.remove(1);
        watchers.remove(3);
        assertThat(told(Watchers::dataArrived)).isEmpty();
    }

    @Test
    void aNameStandsOnceAndAsWhatItWasAddedLast() {
        watchers.add(1, true);
        watchers.add(1, true);
        assertThat(told(Watchers::dataArrived)).containsExactly("[1] data");
        watchers.add(1, false);
        assertThat(told(Watchers::dataArrived)).isEmpty();
        assertThat(told(Watchers::clientsTurnedAway)).containsExactly("[1] data");
    }
}
