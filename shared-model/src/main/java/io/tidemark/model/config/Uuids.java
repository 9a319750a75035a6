package io.tidemark.model.config;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.UUID;

/** Cluster and directory ids: 128 bits as 22 characters of unpadded URL-safe base64, as Kafka writes them; and what follows from them. */
public final class Uuids {
    private Uuids() {}

    /** A fresh random id that does not start with a dash, so that it can stand behind an option. */
    public static String random() {
        while (true) {
            UUID uuid = UUID.randomUUID();
            byte[] bytes = ByteBuffer.allocate(16)
                    .putLong(uuid.getMostSignificantBits())
                    .putLong(uuid.getLeastSignificantBits())
                    .array();
            String text = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
            if (!text.startsWith("-")) {
                return text;
            }
        }
    }

    /** Id of the quorum's one group in a cluster: controllers and brokers derive it, and the folder of the log has it as name. */
    public static UUID quorumGroup(String clusterId) {
        return UUID.nameUUIDFromBytes(("tidemark:" + clusterId).getBytes(StandardCharsets.UTF_8));
    }

    /** Returns {@code text} if it is such an id; throws IllegalArgumentException otherwise. */
    public static String require(String text) {
        String expected = "'" + text + "' is no id of 22 base64 characters";
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(text);
            // Comparing with the own form refuses padding and stray bits that the decoder lets pass.
            if (bytes.length == 16
                    && Base64.getUrlEncoder()
                            .withoutPadding()
                            .encodeToString(bytes)
                            .equals(text)) {
                return text;
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(expected, e);
        }
        throw new IllegalArgumentException(expected);
    }
}
