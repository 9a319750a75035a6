package io.tidemark.broker.net;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.RequestHeader;

/** From the bytes of a frame to a request of Kafka's classes. */
final class RequestParser {
    /**
     * Largest request that carries no records. Its few bytes per topic or partition become objects of many times that
     * size, so the limit of record data would let one request fill the heap; this one is far above what a client with
     * 100,000 partitions sends.
     */
    static final int MAX_BYTES_WITHOUT_RECORDS = 8 << 20;

    private RequestParser() {}

    record Parsed(RequestHeader header, AbstractRequest body) {}

    /**
     * Parses one request; its records are slices of {@code frame}. An ApiVersions request of a version unknown here
     * becomes one of version 0 that says so; anything else that is unknown or malformed throws.
     */
    static Parsed parse(ByteBuffer frame) throws InvalidFrameException {
        int bytes = frame.remaining();
        RequestHeader header;
        try {
            header = RequestHeader.parse(frame);
        } catch (RuntimeException e) {
            throw new InvalidFrameException("no readable request header: " + e.getMessage(), e);
        }
        ApiKeys key = header.apiKey();
        short version = header.apiVersion();
        if (key == ApiKeys.API_VERSIONS && !header.isApiVersionSupported()) {
            return new Parsed(header, new ApiVersionsRequest(new ApiVersionsRequestData(), (short) 0, version));
        }
        if (!key.isVersionEnabled(version, false)) {
            throw new InvalidFrameException("version " + version + " of " + key + " is not supported");
        }
        if (key != ApiKeys.PRODUCE && bytes > MAX_BYTES_WITHOUT_RECORDS) {
            throw new InvalidFrameException("a " + key + " request of " + bytes + " bytes is too large");
        }
        try {
            return new Parsed(
                    header,
                    AbstractRequest.parseRequest(key, version, new RequestFields(frame, RequestFields.MAX_FIELDS))
                            .request);
        } catch (RuntimeException e) {
            throw new InvalidFrameException(
                    "a " + key + " request of version " + version + " is not readable: " + e.getMessage(), e);
        }
    }
}
