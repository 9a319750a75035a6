package io.tidemark.model.codec;

import io.tidemark.model.EpochHistory;
import io.tidemark.model.PartitionId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import java.lang.reflect.Array;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Random values of the model, made from the shapes of its records, so that a new kind or field is covered unasked. */
final class RandomValues {
    /** Fields that may be null: they say "unchanged", or "remove". */
    private static final List<Class<?>> NULLABLE = List.of(
            MetadataRecord.PartitionChanged.class, MetadataRecord.ConfigSet.class, QuorumCommand.Reassignment.class);

    private final Random random;

    RandomValues(long seed) {
        random = new Random(seed);
    }

    <T> T of(Class<T> type) {
        return type.cast(value(type, Object.class));
    }

    private Object value(Type type, Class<?> owner) {
        if (type instanceof ParameterizedType generic) {
            Type[] of = generic.getActualTypeArguments();
            return generic.getRawType() == Map.class ? map(of[0], of[1], owner) : list(of[0], owner);
        }
        Class<?> raw = (Class<?>) type;
        if (raw == int.class || raw == Integer.class) {
            return owner == PartitionId.class || random.nextBoolean() ? random.nextInt(5) : random.nextInt();
        } else if (raw == long.class) {
            return random.nextBoolean() ? random.nextInt(3) - 1L : random.nextLong();
        } else if (raw == boolean.class || raw == Boolean.class) {
            return random.nextBoolean();
        } else if (raw == String.class) {
            return random.nextInt(4) == 0 ? "" : "s\u00e9\u4e16" + random.nextInt(100);
        } else if (raw.isEnum()) {
            return raw.getEnumConstants()[random.nextInt(raw.getEnumConstants().length)];
        } else if (raw == Floor.class) {
            return List.of(Floor.NONE, Floor.UNKNOWN, Floor.known(random.nextLong(), 3, random.nextBoolean()))
                    .get(random.nextInt(3));
        } else if (raw == EpochHistory.class) {
            return random.nextBoolean() ? EpochHistory.EMPTY : EpochHistory.of(0, 0, 3, 1 + random.nextInt(9));
        } else if (raw == byte[].class) {
            byte[] bytes = (byte[]) Array.newInstance(byte.class, random.nextInt(9));
            random.nextBytes(bytes);
            return bytes;
        } else if (raw == ClusterImage.class) {
            return ClusterImage.EMPTY;
        } else if (raw == PartitionState.class) {
            PartitionState state = record(PartitionState.class);
            return new PartitionState(
                    state.id(),
                    state.replicas(),
                    state.isr(),
                    state.elr(),
                    state.lastKnownElr(),
                    state.leader(),
                    state.leaderEpoch(),
                    state.partitionEpoch(),
                    state.recovering(),
                    state.adding(),
                    state.removing(),
                    state.floor(),
                    state.unproven(),
                    0);
        } else if (raw.isSealed()) {
            Class<?>[] kinds = raw.getPermittedSubclasses();
            return value(kinds[random.nextInt(kinds.length)], owner);
        }
        return record(raw);
    }

    private <T> T record(Class<T> type) {
        RecordComponent[] components = type.getRecordComponents();
        Object[] arguments = new Object[components.length];
        Class<?>[] types = new Class<?>[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            boolean mayBeNull = NULLABLE.contains(type)
                    && !types[i].isPrimitive()
                    && types[i] != PartitionId.class
                    && types[i] != ConfigResource.class
                    && !components[i].getName().equals("key");
            arguments[i] = mayBeNull && random.nextBoolean() ? null : value(components[i].getGenericType(), type);
        }
        try {
            var constructor = type.getDeclaredConstructor(types);
            return constructor.newInstance(arguments);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(type + " " + Arrays.toString(arguments), e);
        }
    }

    private List<Object> list(Type element, Class<?> owner) {
        List<Object> list = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            list.add(value(element, owner));
        }
        return list;
    }

    private Map<Object, Object> map(Type key, Type value, Class<?> owner) {
        Map<Object, Object> map = new HashMap<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            map.put(value(key, owner), value(value, owner));
        }
        return map;
    }
}
