package io.tidemark.quorum.inspect;

import io.tidemark.model.codec.Json;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.quorum.files.MetadataSource;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The story of one partition. */
@Command(
        name = "why",
        mixinStandardHelpOptions = true,
        description = "Tells what happened to a partition and why, a sentence each, and how it stands now.",
        footer = {"", "Examples:", "  metadata-log.sh why orders 0", "  metadata-log.sh why orders 0 --from 12:00"})
final class WhyCommand implements Callable<Integer> {
    @Mixin
    private LogOptions options;

    @Parameters(index = "0", paramLabel = "TOPIC")
    private String topic;

    @Parameters(index = "1", paramLabel = "PARTITION")
    private int partition;

    @Option(names = "--from", paramLabel = "POINT", description = "leave out what was before that index or time")
    private String from;

    @Option(names = "--to", paramLabel = "POINT", description = "end there")
    private String to;

    private String day = "";
    private int told;

    @Override
    public Integer call() throws IOException {
        Output output = options.output();
        Point begin = options.point("--from", from, output.moments());
        Point end = options.point("--to", to, output.moments());
        try (MetadataSource source = options.open(output)) {
            StoryReduction reduction = new StoryReduction(topic, partition);
            Timeline timeline = new Timeline(source, output::finding, reduction);
            Story story = new Story(topic, partition, reduction, sentence -> tell(sentence, begin, output));
            timeline.run(
                    begin == null ? 0 : begin.isTime() ? timeline.before(begin.timeMs() - 1) : begin.index(),
                    end == null || end.isTime() ? Long.MAX_VALUE : end.index(),
                    until(story, end, output));
            return conclude(story, end == null ? "now: " : "then: ", source, timeline, output);
        }
    }

    private Timeline.Visitor until(Story story, Point end, Output output) {
        return new Timeline.Visitor() {
            @Override
            public boolean step(Timeline.Step step) throws IOException {
                output.progress(step.raw().index());
                boolean over = end != null
                        && end.isTime()
                        && step.entry() != null
                        && step.entry().timestampMs() > end.timeMs();
                return !over && story.step(step);
            }

            @Override
            public void known(io.tidemark.model.metadata.ClusterImage image) throws IOException {
                story.known(image);
            }

            @Override
            public void gap(long first, long last) throws IOException {
                story.gap(first, last);
            }
        };
    }

    private boolean tell(Story.Sentence sentence, Point begin, Output output) {
        boolean early = begin != null
                && (begin.isTime() ? sentence.timeMs() < begin.timeMs() : sentence.index() < begin.index())
                && sentence.cause() != null;
        if (early) {
            return true;
        }
        told++;
        if (output.json()) {
            output.quick(json(sentence));
            return true;
        }
        String today = output.moments().day(sentence.timeMs());
        if (!today.equals(day)) {
            day = today;
            output.quick(output.style().bold(day + " (" + output.moments().zone() + ")"));
        }
        return output.line(output.moments().time(sentence.timeMs()) + " " + sentence.text()
                + output.style().dim(" [" + sentence.index() + "]"));
    }

    private static String json(Story.Sentence sentence) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("index", sentence.index());
        row.put("timestampMs", sentence.timeMs());
        row.put("time", Instant.ofEpochMilli(sentence.timeMs()).toString());
        row.put("text", sentence.text());
        row.put("cause", sentence.cause() == null ? null : EntryJson.cause(sentence.cause()));
        row.put("before", state(sentence.before()));
        row.put("after", state(sentence.after()));
        return Json.of(row);
    }

    private static Map<String, Object> state(PartitionState state) {
        if (state == null) {
            return null;
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        RecordFields.state(fields, state);
        fields.put("minIsr", state.minIsr());
        return fields;
    }

    private int conclude(Story story, String when, MetadataSource source, Timeline timeline, Output output)
            throws IOException {
        if (told == 0 && story.in(story.latest()) == null) {
            long begins = timeline.begins();
            output.remark("metadata-log: nothing is known of " + topic + "-" + partition + " in " + source.name()
                    + (begins == Long.MAX_VALUE ? "" : " (history begins at index " + Math.max(0, begins) + ")"));
            return 1;
        }
        if (output.json()) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("now", state(story.in(story.latest())));
            row.put("text", story.conclusion());
            output.quick(Json.of(row));
        } else {
            output.quick(when + story.conclusion());
        }
        return output.status();
    }
}
