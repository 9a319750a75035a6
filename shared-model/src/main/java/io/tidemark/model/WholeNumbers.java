package io.tidemark.model;

import java.util.function.Predicate;

/** Texts that are whole numbers in a range. */
public final class WholeNumbers {
    private WholeNumbers() {}

    /** Both ends belong to it. */
    public static Predicate<String> between(long least, long most) {
        return value -> {
            try {
                long number = Long.parseLong(value);
                return number >= least && number <= most;
            } catch (NumberFormatException e) {
                return false;
            }
        };
    }
}
