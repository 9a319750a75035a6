package io.tidemark.model.metadata;

/**
 * What the quorum can answer, under the names and numbers of the Kafka protocol so that a broker passes them on
 * unchanged. {@link #VOID_ENTRY} and {@link #UNFINISHED} are ours and never leave a broker.
 */
public enum ErrorCode {
    NONE(0),
    UNKNOWN_SERVER_ERROR(-1),
    /** The entry took no effect because it was decided on a state that never came to be; submit a new call. */
    VOID_ENTRY(-100),
    /** A part of the work is done that is too large for one entry; submit a new call for the rest. */
    UNFINISHED(-101),
    UNKNOWN_TOPIC_OR_PARTITION(3),
    CLUSTER_AUTHORIZATION_FAILED(31),
    INVALID_TOPIC_EXCEPTION(17),
    TOPIC_ALREADY_EXISTS(36),
    INVALID_PARTITIONS(37),
    INVALID_REPLICATION_FACTOR(38),
    INVALID_REPLICA_ASSIGNMENT(39),
    INVALID_CONFIG(40),
    NOT_CONTROLLER(41),
    INVALID_REQUEST(42),
    POLICY_VIOLATION(44),
    TOPIC_DELETION_DISABLED(73),
    FENCED_LEADER_EPOCH(74),
    STALE_BROKER_EPOCH(77),
    PREFERRED_LEADER_NOT_AVAILABLE(80),
    ELIGIBLE_LEADERS_NOT_AVAILABLE(83),
    ELECTION_NOT_NEEDED(84),
    NO_REASSIGNMENT_IN_PROGRESS(85),
    UNKNOWN_TOPIC_ID(100),
    DUPLICATE_BROKER_REGISTRATION(101),
    BROKER_ID_NOT_REGISTERED(102),
    INCONSISTENT_CLUSTER_ID(104),
    INELIGIBLE_REPLICA(107),
    NEW_LEADER_ELECTED(108),
    INVALID_UPDATE_VERSION(95),
    INVALID_REGISTRATION(119),
    UNSUPPORTED_VERSION(35);

    private final int code;

    ErrorCode(int code) {
        this.code = code;
    }

    /** The number on the wire. */
    public int code() {
        return code;
    }

    public static ErrorCode of(int code) {
        for (ErrorCode value : values()) {
            if (value.code == code) {
                return value;
            }
        }
        throw new IllegalArgumentException("unknown error code " + code);
    }
}
