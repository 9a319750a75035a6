package io.tidemark.quorum.inspect;

import picocli.CommandLine.Option;

/** Which entries to show: what the commands take that show entries. */
final class FilterOptions {
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

    @Option(names = "--kind", paramLabel = "K", description = "only entries or records of that kind")
    private String kind;

    /** Throws ParameterException if they do not go together. */
    EntryFilter filter(LogOptions options) {
        if (partition >= 0 && topic == null) {
            throw options.usage("--partition needs --topic");
        }
        return new EntryFilter(topic, partition, broker, kind);
    }
}
