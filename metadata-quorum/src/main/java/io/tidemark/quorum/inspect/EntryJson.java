package io.tidemark.quorum.inspect;

import io.tidemark.model.codec.Json;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.quorum.inspect.EntryView.Effect;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Entries for programs, one JSON object a line. */
final class EntryJson {
    private final TopicNames names;
    private final EntryFilter filter;

    EntryJson(TopicNames names, EntryFilter filter) {
        this.names = names;
        this.filter = filter;
    }

    String of(EntryView view) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("index", view.index());
        row.put("term", view.raw().term());
        row.put("committed", view.committed());
        MetadataEntry entry = view.entry();
        if (entry == null) {
            row.put("ratis", view.raw().kind().name());
            return Json.of(row);
        }
        row.put("timestampMs", entry.timestampMs());
        row.put("time", Instant.ofEpochMilli(entry.timestampMs()).toString());
        row.put("void", view.effect() == Effect.UNKNOWN ? null : view.effect() == Effect.VOID);
        row.put("basedOn", entry.basedOn());
        row.put("cause", cause(entry.cause()));
        List<Object> records = new ArrayList<>();
        for (MetadataRecord record : filter.records(entry, names)) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("kind", RecordFields.kind(record));
            fields.putAll(RecordFields.of(record, view.index(), names));
            records.add(fields);
        }
        row.put("records", records);
        row.put("recordCount", entry.records().size());
        row.put("reply", reply(entry.reply()));
        if (view.raw().file() != null) {
            row.put("file", view.raw().file().toString());
            row.put("position", view.raw().position());
        }
        return Json.of(row);
    }

    static Map<String, Object> cause(MetadataEntry.Cause cause) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("kind", cause.kind());
        row.put("controller", cause.controllerId());
        row.put("broker", cause.brokerId());
        row.put("brokerEpoch", cause.brokerEpoch());
        row.put("client", cause.client());
        row.put("reason", cause.reason());
        return row;
    }

    private static Map<String, Object> reply(QuorumReply reply) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("kind", reply.getClass().getSimpleName());
        if (reply instanceof QuorumReply.Refused refused) {
            row.put("error", refused.error().name());
            row.put("message", refused.message());
        } else if (reply instanceof QuorumReply.Topics topics) {
            row.put(
                    "errors",
                    topics.results().stream()
                            .filter(result -> result.error() != ErrorCode.NONE)
                            .map(result -> result.name() + ": " + result.error() + " " + result.message())
                            .toList());
        } else if (reply instanceof QuorumReply.Rows rows) {
            row.put(
                    "errors",
                    rows.rows().stream()
                            .filter(result -> result.error() != ErrorCode.NONE)
                            .map(result -> result.error() + " " + result.message())
                            .toList());
        } else if (reply instanceof QuorumReply.AlteredPartitions altered) {
            row.put(
                    "errors",
                    altered.results().stream()
                            .filter(result -> result.error() != ErrorCode.NONE)
                            .map(result -> result.id() + ": " + result.error())
                            .toList());
        }
        return row;
    }
}
