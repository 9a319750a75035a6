package io.tidemark.broker.explore;

import io.tidemark.broker.replica.LeaderLease;
import io.tidemark.broker.replica.ReplicaSettings;
import io.tidemark.broker.replica.SessionClock;
import io.tidemark.model.Check;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.PartitionState;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * 128 bits that stand for a graph of objects, field by field, so that nothing that a core remembers can be forgotten here:
 * two states of a broker with the same code are taken for one. Times count from now. Objects of a kind it does not know end
 * the exploration.
 *
 * <p>Left out is what no rule reads: words for the log, and moments until which something waits, which are always past since
 * pauses have no length here.
 */
final class StateCode {
    private static final Set<String> LEFT_OUT =
            Set.of("reason", "lastError", "delayedUntilMs", "refusedUntilMs", "shrinkNotBeforeMs", "turnedAwayAfterMs");
    /** Values around now that are times. */
    private static final long HORIZON_MS = 1L << 40;

    private static final int NULL = 1;
    private static final int SEEN = 2;
    private static final int TIME = 3;
    private static final int COLLECTION = 4;
    private static final int MAP = 5;
    private static final int OBJECT = 6;

    private static final Map<Class<?>, Shape> SHAPES = new HashMap<>();

    /** @param shared whether it matters that two fields hold the same object */
    private record Shape(int number, List<Field> fields, boolean shared) {}

    /** Immutable values that many states hold; what was computed of them once. */
    private final Map<PartitionState, Long> partitions;

    private final Map<Object, Integer> seen = new IdentityHashMap<>();
    private long now;
    private long high = 0x9e3779b97f4a7c15L;
    private long low = 0xc2b2ae3d27d4eb4fL;

    StateCode(Map<PartitionState, Long> partitions) {
        this.partitions = partitions;
    }

    record Code(long high, long low) {}

    Code code() {
        return new Code(LongTable.mix(high ^ low), LongTable.mix(low + high * 31));
    }

    void now(long ms) {
        now = ms;
    }

    void put(long value) {
        boolean time = value > now - HORIZON_MS && value < now + HORIZON_MS;
        if (time) {
            add(TIME);
        }
        add(time ? value - now : value);
    }

    private void add(long value) {
        high = Long.rotateLeft((high ^ value) * 0x87c37b91114253d5L, 31) + low;
        low = Long.rotateLeft((low + value) * 0x4cf5ad432745937fL, 27) ^ high;
    }

    void put(Object object) {
        if (object == null) {
            add(NULL);
        } else if (object instanceof Number number) {
            put(number.longValue());
        } else if (object instanceof Boolean bool) {
            add(bool ? 1 : 0);
        } else if (object instanceof Enum<?> constant) {
            add(constant.ordinal());
        } else if (object instanceof String text) {
            add(text.length());
            text.chars().forEach(this::add);
        } else if (object instanceof long[] values) {
            add(values.length);
            for (long value : values) {
                put(value);
            }
        } else if (object instanceof Collection<?> values) {
            add(COLLECTION);
            add(values.size());
            values.forEach(this::put);
        } else if (object instanceof Map<?, ?> map) {
            add(MAP);
            add(map.size());
            new TreeMap<>(map).forEach((key, value) -> {
                put(key);
                put(value);
            });
        } else if (object instanceof PartitionState state) {
            add(partitions.computeIfAbsent(state, StateCode::whole));
        } else {
            fields(object);
        }
    }

    private static long whole(PartitionState state) {
        StateCode code = new StateCode(Map.of());
        code.fields(state);
        return code.code().high();
    }

    private void fields(Object object) {
        Class<?> kind = object.getClass();
        if (object instanceof ReplicaSettings || object instanceof LeaderLease || object instanceof PartitionId) {
            return; // the same for all states of a broker
        }
        if (kind.isHidden()) {
            return; // a lambda of the core's; it holds its object and nothing else
        }
        Shape shape = shape(kind);
        if (shape.shared()) {
            Integer before = seen.putIfAbsent(object, seen.size());
            if (before != null) {
                add(SEEN);
                add(before);
                return;
            }
        }
        add(OBJECT);
        add(shape.number());
        try {
            for (Field field : shape.fields()) {
                Class<?> type = field.getType();
                if (type == long.class) {
                    put(field.getLong(object));
                } else if (type == int.class) {
                    put(field.getInt(object));
                } else {
                    put(field.get(object));
                }
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static synchronized Shape shape(Class<?> kind) {
        Shape known = SHAPES.get(kind);
        if (known != null) {
            return known;
        }
        Check.that(kind.getName().startsWith("io.tidemark."), "a state with a %s in it cannot be compared", kind);
        List<Field> fields = new ArrayList<>();
        for (Class<?> at = kind; at != Object.class && at != Record.class; at = at.getSuperclass()) {
            for (Field field : at.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers()) && !LEFT_OUT.contains(field.getName())) {
                    field.setAccessible(true);
                    fields.add(field);
                }
            }
        }
        // Of two equal sessions a follower's progress may hold one or the other; values are values wherever they stand.
        boolean shared = kind == SessionClock.class
                || kind.getSimpleName()
                        .matches("LogView|Watchers|Leader(State|Appends|HighWatermark)|ClientLease|Proposal");
        Shape shape = new Shape(SHAPES.size(), List.copyOf(fields), shared);
        SHAPES.put(kind, shape);
        return shape;
    }
}
