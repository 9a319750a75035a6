package io.tidemark.quorum.inspect;

import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.QuorumCommand;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** Which entries to show: what the commands take that show entries. */
final class FilterOptions {
    /** Of commands, then of records. */
    private static final List<String> KINDS = Stream.of(QuorumCommand.class, MetadataRecord.class)
            .flatMap(type -> Stream.of(type.getPermittedSubclasses()))
            .map(Class::getSimpleName)
            .toList();

    @Option(names = "--topic", paramLabel = "T", description = "only what concerns that topic (name or id)")
    private String topic;

    @Option(names = "--partition", paramLabel = "P", defaultValue = "-1", description = "and of it that partition")
    private int partition;

    @Option(
            names = "--broker",
            paramLabel = "N",
            defaultValue = "-1",
            description = "only what that broker asked for, or what names it")
    private int broker;

    @Option(
            names = "--kind",
            paramLabel = "K",
            description = "only entries or records of that kind; a wrong one is answered with all there are")
    private String kind;

    /** Throws ParameterException if they do not go together. */
    EntryFilter filter(LogOptions options) {
        if (partition >= 0 && topic == null) {
            throw options.usage("--partition needs --topic");
        }
        if (kind != null && KINDS.stream().noneMatch(kind::equalsIgnoreCase)) {
            throw options.usage("--kind: there is no " + kind + ", only: " + String.join(", ", KINDS));
        }
        return new EntryFilter(topic, partition, broker, kind);
    }
}
