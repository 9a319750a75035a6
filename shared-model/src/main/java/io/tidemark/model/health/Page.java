package io.tidemark.model.health;

import io.tidemark.model.codec.Json;
import java.util.Map;

/** Answers GET of one path. */
public interface Page {
    /** @param query the decoded parameters; of one that is given twice the last */
    Answer answer(Map<String, String> query);

    /** @param headers beside the content type */
    record Answer(int status, String contentType, String body, Map<String, String> headers) {
        public static Answer text(int status, String body) {
            return new Answer(status, "text/plain; charset=utf-8", body, Map.of());
        }

        public static Answer json(int status, Object body) {
            return new Answer(status, "application/json", Json.of(body) + "\n", Map.of());
        }

        public Answer with(String header, String value) {
            return new Answer(status, contentType, body, Map.of(header, value));
        }
    }
}
