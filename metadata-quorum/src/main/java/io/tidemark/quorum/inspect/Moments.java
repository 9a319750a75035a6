package io.tidemark.quorum.inspect;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/** Points in time as people read them, in one zone throughout. */
final class Moments {
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyy-MM-dd");
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");
    private static final DateTimeFormatter BOTH = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS");

    private final ZoneId zone;

    Moments(ZoneId zone) {
        this.zone = zone;
    }

    ZoneId zone() {
        return zone;
    }

    String day(long ms) {
        return DAY.format(Instant.ofEpochMilli(ms).atZone(zone));
    }

    String time(long ms) {
        return TIME.format(Instant.ofEpochMilli(ms).atZone(zone));
    }

    String dayAndTime(long ms) {
        return BOTH.format(Instant.ofEpochMilli(ms).atZone(zone));
    }

    /** 250 ms, 3.2 s, 4 min 10 s, 2 h 5 min, 3 d 4 h. */
    static String duration(long ms) {
        if (ms < 1_000) {
            return ms + " ms";
        } else if (ms < 60_000) {
            return ms / 1_000 + "." + ms % 1_000 / 100 + " s";
        } else if (ms < 3_600_000) {
            return ms / 60_000 + " min " + ms % 60_000 / 1_000 + " s";
        } else if (ms < 86_400_000) {
            return ms / 3_600_000 + " h " + ms % 3_600_000 / 60_000 + " min";
        }
        return ms / 86_400_000 + " d " + ms % 86_400_000 / 3_600_000 + " h";
    }
}
