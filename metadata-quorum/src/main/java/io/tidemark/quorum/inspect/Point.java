package io.tidemark.quorum.inspect;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;

/**
 * A point of the log: an index (digits only), or a time as 2026-11-30T12:03:04Z, 2026-11-30T12:03:04.120,
 * 2026-11-30 or 12:03:04 (today); times without a zone are of the machine's.
 *
 * @param index -1 for a time
 * @param timeMs wall clock, milliseconds; only for a time
 */
record Point(long index, long timeMs) {
    boolean isTime() {
        return index < 0;
    }

    /** Throws IllegalArgumentException that says what would be understood. */
    static Point parse(String text, ZoneId zone) {
        if (text.matches("\\d{1,18}")) {
            return new Point(Long.parseLong(text), -1);
        }
        try {
            return new Point(-1, time(text.replace(' ', 'T'), zone).toEpochMilli());
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "'" + text
                            + "' is neither an index nor a time such as 2026-11-30T12:03:04.120, 2026-11-30T12:03:04Z or 12:03:04");
        }
    }

    private static Instant time(String text, ZoneId zone) {
        if (!text.contains("-")) {
            return LocalTime.parse(text)
                    .atDate(LocalDate.now(zone))
                    .atZone(zone)
                    .toInstant();
        }
        if (!text.contains("T")) {
            return LocalDate.parse(text).atStartOfDay(zone).toInstant();
        }
        boolean withZone =
                text.endsWith("Z") || text.substring(text.indexOf('T')).matches(".*[+-].*");
        return withZone
                ? OffsetDateTime.parse(text).toInstant()
                : LocalDateTime.parse(text).atZone(zone).toInstant();
    }
}
