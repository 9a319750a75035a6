package io.tidemark.broker.explore;

/** A map from long to int, both not boxed; the key 0 stands for itself only by being kept aside. */
final class LongTable {
    static final int ABSENT = -1;

    private long[] keys = new long[1 << 12];
    private int[] values = new int[1 << 12];
    private int size;
    private int ofZero = ABSENT;

    int size() {
        return size;
    }

    int get(long key) {
        if (key == 0) {
            return ofZero;
        }
        int slot = slot(key);
        return keys[slot] == 0 ? ABSENT : values[slot];
    }

    /** The value that was there, or {@link #ABSENT} if {@code value} is there now. */
    int putIfAbsent(long key, int value) {
        if (key == 0) {
            int before = ofZero;
            if (before == ABSENT) {
                ofZero = value;
                size++;
            }
            return before;
        }
        int slot = slot(key);
        if (keys[slot] != 0) {
            return values[slot];
        }
        keys[slot] = key;
        values[slot] = value;
        if (++size > keys.length / 2) {
            grow();
        }
        return ABSENT;
    }

    private int slot(long key) {
        int mask = keys.length - 1;
        int slot = (int) (mix(key) & mask);
        while (keys[slot] != 0 && keys[slot] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] oldValues = values;
        keys = new long[oldKeys.length * 2];
        values = new int[keys.length];
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != 0) {
                int slot = slot(oldKeys[i]);
                keys[slot] = oldKeys[i];
                values[slot] = oldValues[i];
            }
        }
    }

    /** Every bit of the value depends on every bit of {@code key}. */
    static long mix(long key) {
        long z = key;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
