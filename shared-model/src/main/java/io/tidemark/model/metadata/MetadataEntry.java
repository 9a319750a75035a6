package io.tidemark.model.metadata;

import java.util.List;

/**
 * One entry of the metadata log: the records that one command led to, and why.
 *
 * @param basedOn the tip of the image the decision was made on; elsewhere the entry is void (chain rule)
 * @param timestampMs wall clock of the leader, never below that of an earlier entry
 * @param reply what the caller is told once the entry is applied
 */
public record MetadataEntry(
        long basedOn, long timestampMs, Cause cause, List<MetadataRecord> records, QuorumReply reply) {

    /**
     * Why an entry exists.
     *
     * @param kind the command's kind, such as "AlterPartition"
     * @param brokerId who asked, -1 for a controller or a client without one; {@code brokerEpoch} likewise
     * @param client the client id of the asking request, or ""
     * @param reason in words, or ""
     * @param controllerId the controller that decided, -1 if that is not known
     */
    public record Cause(String kind, int brokerId, long brokerEpoch, String client, String reason, int controllerId) {
        /** One that is not known yet to be some controller's. */
        public Cause(String kind, int brokerId, long brokerEpoch, String client, String reason) {
            this(kind, brokerId, brokerEpoch, client, reason, -1);
        }

        /** The same, decided by that controller. */
        public Cause by(int controller) {
            return new Cause(kind, brokerId, brokerEpoch, client, reason, controller);
        }
    }

    public MetadataEntry {
        records = List.copyOf(records);
    }
}
