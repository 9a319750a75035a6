package io.tidemark.broker.net;

import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.requests.RequestHeader;

/** A request of every API in every version, made from the shape of its message, so that none can be forgotten. */
public final class SampleRequests {
    private static final int TIMEOUT_MS = 30_000;

    private SampleRequests() {}

    /** As it is when made: empty lists, zeros. */
    public static ApiMessage empty(ApiKeys key) {
        return ApiMessageType.fromApiKey(key.id).newRequest();
    }

    /** With one element in every list and a value in every field that this version has. */
    public static ApiMessage filled(ApiKeys key, short version) {
        ApiMessage message = empty(key);
        fill(message, message, version);
        return message;
    }

    /** Header and body, as in a frame. */
    public static byte[] bytes(ApiKeys key, short version, int correlationId, Message body) {
        RequestHeader header = new RequestHeader(key, version, "sample", correlationId);
        ByteBuffer head = MessageUtil.toByteBufferAccessor(header.data(), header.headerVersion())
                .buffer();
        ByteBuffer tail = MessageUtil.toByteBufferAccessor(body, version).buffer();
        return ByteBuffer.allocate(head.remaining() + tail.remaining())
                .put(head)
                .put(tail)
                .array();
    }

    private static void fill(Message message, Message root, short version) {
        Arrays.stream(message.getClass().getMethods())
                .filter(method -> method.getName().startsWith("set") && method.getParameterCount() == 1)
                .sorted(Comparator.comparing(Method::getName))
                .forEach(setter -> fill(message, setter, root, version));
    }

    private static void fill(Message message, Method setter, Message root, short version) {
        String name = setter.getName().substring(3);
        try {
            Method getter = message.getClass()
                    .getMethod(name.substring(0, 1).toLowerCase(java.util.Locale.ROOT) + name.substring(1));
            Object before = getter.invoke(message);
            Object value = name.equals("TimeoutMs") ? (Object) TIMEOUT_MS : value(setter.getGenericParameterTypes()[0]);
            if (value == null) {
                return;
            }
            setter.invoke(message, value);
            if (!writable(root, version)) {
                setter.invoke(message, before);
            } else if (value instanceof Collection<?> elements) {
                elements.forEach(element -> {
                    if (element instanceof Message nested) {
                        fill(nested, root, version);
                    }
                });
            } else if (value instanceof Message nested) {
                fill(nested, root, version);
            }
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(setter.toString(), e);
        }
    }

    /** Null for what is better left alone. */
    private static Object value(Type type) throws ReflectiveOperationException {
        if (type instanceof ParameterizedType list) {
            Type element = list.getActualTypeArguments()[0];
            Object one = value(element);
            return one == null ? null : new ArrayList<>(List.of(one));
        }
        Class<?> raw = (Class<?>) type;
        if (raw == String.class) {
            return "sample";
        } else if (raw == int.class || raw == Integer.class) {
            return 1;
        } else if (raw == long.class || raw == Long.class) {
            return 1L;
        } else if (raw == short.class || raw == Short.class) {
            return (short) 1;
        } else if (raw == byte.class || raw == Byte.class) {
            return (byte) 1;
        } else if (raw == boolean.class) {
            return true;
        } else if (raw == Uuid.class) {
            return new Uuid(1, 2);
        } else if (raw == byte[].class) {
            return new byte[] {1, 2, 3};
        } else if (raw == ByteBuffer.class) {
            return ByteBuffer.wrap(new byte[] {1, 2, 3});
        } else if (BaseRecords.class.isAssignableFrom(raw) || raw == double.class || raw == int[].class) {
            return null;
        } else if (Message.class.isAssignableFrom(raw)) {
            return raw.getConstructor().newInstance();
        }
        return collection(raw);
    }

    /** Kafka's collections by key are classes of their own. */
    @SuppressWarnings("unchecked")
    private static Object collection(Class<?> raw) throws ReflectiveOperationException {
        if (!Collection.class.isAssignableFrom(raw)) {
            return null;
        }
        Type element = ((ParameterizedType) raw.getGenericSuperclass()).getActualTypeArguments()[0];
        Collection<Object> collection =
                (Collection<Object>) raw.getConstructor().newInstance();
        collection.add(value(element));
        return collection;
    }

    private static boolean writable(Message root, short version) {
        try {
            MessageUtil.toByteBufferAccessor(root, version);
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }
}
