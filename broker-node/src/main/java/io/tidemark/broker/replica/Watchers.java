package io.tidemark.broker.replica;

import java.util.Arrays;

/** Who wants to hear of changes of one partition; names are unique, order does not matter. */
final class Watchers {
    private static final long[] NOBODY = {};

    private long[] followers = NOBODY;
    private long[] consumers = NOBODY;

    void add(long watcher, boolean follower) {
        remove(watcher);
        if (follower) {
            followers = with(followers, watcher);
        } else {
            consumers = with(consumers, watcher);
        }
    }

    void remove(long watcher) {
        followers = without(followers, watcher);
        consumers = without(consumers, watcher);
    }

    /** The end moved: followers have something to read. */
    void dataArrived(Effects effects) {
        if (followers.length > 0) {
            effects.add(new Effect.Notify(followers, true));
        }
    }

    /** The mark moved: consumers have something to read, followers something to learn. */
    void markMoved(Effects effects) {
        if (consumers.length > 0) {
            effects.add(new Effect.Notify(consumers, true));
        }
        if (followers.length > 0) {
            effects.add(new Effect.Notify(followers, false));
        }
    }

    /** The log's start moved: followers have something to learn. */
    void startMoved(Effects effects) {
        if (followers.length > 0) {
            effects.add(new Effect.Notify(followers, false));
        }
    }

    /** This leader serves no clients any more: those that wait must look again to hear so. */
    void clientsTurnedAway(Effects effects) {
        if (consumers.length > 0) {
            effects.add(new Effect.Notify(consumers, true));
        }
    }

    /** Leadership or epoch changed: everybody must look again. */
    void allChanged(Effects effects) {
        if (consumers.length > 0) {
            effects.add(new Effect.Notify(consumers, true));
        }
        if (followers.length > 0) {
            effects.add(new Effect.Notify(followers, true));
        }
    }

    private static long[] with(long[] array, long value) {
        long[] result = Arrays.copyOf(array, array.length + 1);
        result[array.length] = value;
        return result;
    }

    private static long[] without(long[] array, long value) {
        for (int i = 0; i < array.length; i++) {
            if (array[i] == value) {
                long[] result = new long[array.length - 1];
                System.arraycopy(array, 0, result, 0, i);
                System.arraycopy(array, i + 1, result, i, result.length - i);
                return result;
            }
        }
        return array;
    }
}
