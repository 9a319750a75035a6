package io.tidemark.quorum.core;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.TopicState;
import java.util.HashMap;
import java.util.Map;

/**
 * What a topic may be called (R7.80). Names that differ only in '.' and '_' would share their metric names, so that one
 * of a pair is refused.
 */
final class TopicNames {
    static final int MAX_LENGTH = 249;

    /** Names in use, by the form in which they would collide; filled when first needed, for it costs all topics. */
    private Map<String, String> inUse;

    /** What is wrong with that name, or null. */
    static String problem(String name) {
        if (name.isEmpty()) {
            return "a topic name must not be empty";
        }
        if (name.equals(".") || name.equals("..")) {
            return "a topic name must not be '.' or '..'";
        }
        if (name.length() > MAX_LENGTH) {
            return "a topic name has at most " + MAX_LENGTH + " characters, this one has " + name.length();
        }
        for (int i = 0; i < name.length(); i++) {
            if (!legal(name.charAt(i))) {
                return "a topic name is made of ASCII letters and digits, '.', '_' and '-'";
            }
        }
        return null;
    }

    /** The other name that this one collides with, in the image or among those {@link #claim}ed; or null. */
    String collision(ClusterImage image, String name) {
        if (!plain(name).contains("_")) {
            return null;
        }
        if (inUse == null) {
            inUse = new HashMap<>();
            for (TopicState topic : image.topics().values()) {
                claim(topic.name());
            }
        }
        String other = inUse.get(plain(name));
        return name.equals(other) ? null : other;
    }

    /** Counts as in use from here on, if anything was asked yet. */
    void claim(String name) {
        if (inUse != null) {
            inUse.put(plain(name), name);
        }
    }

    private static String plain(String name) {
        return name.replace('.', '_');
    }

    private static boolean legal(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '.'
                || c == '_'
                || c == '-';
    }
}
