package io.tidemark.broker.explore;

import java.util.Arrays;

/**
 * A state of the whole cluster, to be read and changed; {@link #pack} makes the value of it that is kept.
 *
 * <pre>
 *   brokers   numbers of Brokers, or -1 - number for one that is down
 *   images    the newest ones, oldest first; the last is the controllers'
 *   messages  numbers, in increasing order: the order of sending does not matter
 * </pre>
 */
final class Draft {
    private static final int FIXED = Cluster.BROKERS + 3;
    private static final int SPENT_BITS = 3;

    final int[] brokers = new int[Cluster.BROKERS];
    int exposed;
    private int spent;
    private int[] images = new int[8];
    int imageCount;
    private int[] messages = new int[8];
    int messageCount;

    static Draft of(int[] packed) {
        Draft draft = new Draft();
        System.arraycopy(packed, 0, draft.brokers, 0, Cluster.BROKERS);
        draft.exposed = packed[Cluster.BROKERS];
        draft.spent = packed[Cluster.BROKERS + 1];
        draft.imageCount = packed[Cluster.BROKERS + 2];
        draft.images = Arrays.copyOfRange(packed, FIXED, FIXED + Math.max(8, draft.imageCount));
        draft.messageCount = packed.length - FIXED - draft.imageCount;
        draft.messages = Arrays.copyOfRange(packed, FIXED + draft.imageCount, packed.length + 4);
        return draft;
    }

    int[] pack() {
        int[] packed = new int[FIXED + imageCount + messageCount];
        System.arraycopy(brokers, 0, packed, 0, Cluster.BROKERS);
        packed[Cluster.BROKERS] = exposed;
        packed[Cluster.BROKERS + 1] = spent;
        packed[Cluster.BROKERS + 2] = imageCount;
        System.arraycopy(images, 0, packed, FIXED, imageCount);
        System.arraycopy(messages, 0, packed, FIXED + imageCount, messageCount);
        Arrays.sort(packed, FIXED + imageCount, packed.length);
        return packed;
    }

    /** Two states with the same one are taken for the same. */
    static long fingerprint(int[] packed) {
        long hash = 0x9e3779b97f4a7c15L;
        for (int value : packed) {
            hash = LongTable.mix(hash + value * 0xff51afd7ed558ccdL + 1);
        }
        return hash;
    }

    boolean up(int broker) {
        return brokers[broker - 1] >= 0;
    }

    int broker(int broker) {
        return brokers[broker - 1];
    }

    int down(int broker) {
        return -1 - brokers[broker - 1];
    }

    int spent(int budget) {
        return spent >>> budget * SPENT_BITS & (1 << SPENT_BITS) - 1;
    }

    void spend(int budget, int howMuch) {
        spent += howMuch << budget * SPENT_BITS;
    }

    /** The controllers' image. */
    int image() {
        return images[imageCount - 1];
    }

    int image(int at) {
        return images[at];
    }

    void addImage(int image) {
        if (imageCount == images.length) {
            images = Arrays.copyOf(images, imageCount * 2);
        }
        images[imageCount++] = image;
    }

    void dropOldestImage() {
        imageCount--;
        System.arraycopy(images, 1, images, 0, imageCount);
    }

    int message(int at) {
        return messages[at];
    }

    void message(int at, int value) {
        messages[at] = value;
    }

    void addMessage(int message) {
        if (messageCount == messages.length) {
            messages = Arrays.copyOf(messages, messageCount * 2);
        }
        messages[messageCount++] = message;
    }

    void dropMessage(int at) {
        messageCount--;
        System.arraycopy(messages, at + 1, messages, at, messageCount - at);
    }
}
