package io.tidemark.model.config;

/** How a listener is secured, under Kafka's names. */
public enum SecurityProtocol {
    PLAINTEXT(true),
    SSL(false),
    SASL_PLAINTEXT(false),
    SASL_SSL(false);

    private final boolean built;

    SecurityProtocol(boolean built) {
        this.built = built;
    }

    /** Whether a listener of this protocol can be opened; others are refused when the configuration is read. */
    public boolean isBuilt() {
        return built;
    }

    static SecurityProtocol parse(String text) {
        for (SecurityProtocol protocol : values()) {
            if (protocol.name().equals(text)) {
                return protocol;
            }
        }
        throw new IllegalArgumentException("'" + text + "' is no security protocol");
    }
}
