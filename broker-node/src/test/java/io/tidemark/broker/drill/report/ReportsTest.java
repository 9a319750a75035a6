package io.tidemark.broker.drill.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tidemark.broker.drill.judge.Availability;
import io.tidemark.broker.drill.judge.Change;
import io.tidemark.broker.drill.judge.Fault;
import io.tidemark.broker.drill.judge.PartitionStateView;
import io.tidemark.broker.drill.plan.Action;
import io.tidemark.broker.drill.plan.Bound;
import io.tidemark.broker.drill.plan.Drill;
import io.tidemark.broker.drill.plan.DrillReader;
import io.tidemark.broker.drill.plan.Measure;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class ReportsTest {
    private static final long START = 1_000_000;
    private static final Drill DRILL = DrillReader.read("file", """
            name: example
            promise: What is <acked> & kept.
            cluster: {topics: [{name: t}]}
            workload: {producers: [{name: p, acks: all}]}
            steps: []
            length: 1s
            """);
    private static final PartitionStateView WHOLE = state(1, 1, 2, 3);

    @Test
    void aDrillIsHeldOnlyIfEverythingIsAsExpected() {
        assertThat(outcome(all(Map.of()), 5, List.of()).held()).isTrue();
        assertThat(outcome(all(Map.of(Measure.LOST, 1L)), 5, List.of()).held()).isFalse();
        assertThat(outcome(all(Map.of()), 0, List.of()).held())
                .as("nothing acked proves nothing")
                .isFalse();
        assertThat(outcome(all(Map.of()), 5, List.of("a step failed")).held()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Measure.class)
    void whatWasNotMeasuredDoesNotHoldWhereSomethingIsExpectedOfIt(Measure measure) {
        EnumMap<Measure, Long> found = new EnumMap<>(all(Map.of()));
        found.remove(measure);
        boolean anything = measure.usual().equals(Bound.ANY);
        assertThat(outcome(found, 5, List.of(), false).held()).isEqualTo(anything);
        assertThat(outcome(found, 5, List.of(), true).held())
                .as("on Kafka")
                .isEqualTo(anything || measure == Measure.METADATA_DIFFERS);
    }

    /** As it usually has to be, and what is given. */
    private static Map<Measure, Long> all(Map<Measure, Long> given) {
        EnumMap<Measure, Long> found = new EnumMap<>(Measure.class);
        for (Measure measure : Measure.values()) {
            found.put(measure, 0L);
        }
        found.putAll(given);
        return found;
    }

    /** The controller's clock was an hour back when the leader changed. */
    @Test
    void aChangeIsShownInItsPlaceWhateverTheClockOfWhoeverWroteIt() {
        TopicPartition id = new TopicPartition("t", 0);
        List<Change> changes = List.of(
                new Change(7, START + 900, id, state(2, 2, 3), state(2, 2), "AlterPartition", "second"),
                new Change(6, START - 3_600_000, id, WHOLE, state(2, 2, 3), "FenceBrokers", "first"));
        assertThat(outcome(all(Map.of()), 5, List.of(), false, changes).changes())
                .extracting(Change::words)
                .containsExactly("first", "second");
    }

    @Test
    void theTextTellsWhatIsNotAccountedFor() {
        String text = TextReport.of(outcome(Map.of(Measure.LOST, 2L), 5, List.of()));
        assertThat(text)
                .contains("NOT lost", "UNEXPLAINED", "<- kill 1", "+0.500 s t-0: broker 1 lost")
                .endsWith(TextReport.summary(outcome(Map.of(Measure.LOST, 2L), 5, List.of())) + "\n");
    }

    @Test
    void theJsonHoldsTheVerdict() throws Exception {
        JsonNode json = new ObjectMapper().readTree(JsonReport.of(outcome(Map.of(Measure.LOST, 2L), 5, List.of())));
        assertThat(json.path("held").asBoolean(true)).isFalse();
        assertThat(json.path("measures").path("lost").path("value").asLong()).isEqualTo(2);
        assertThat(json.path("measures").path("vanished").path("value").isNull())
                .isTrue();
        assertThat(json.path("changes").get(0).path("explainedBy").asText()).isEqualTo("kill 1");
        assertThat(json.path("changes").get(1).path("explainedBy").isNull()).isTrue();
        assertThat(json.path("partitions").path("t-0").path("acksPer100Ms")).hasSize(20);
    }

    @Test
    void thePageNeedsNothingElseAndItsPictureIsWellFormed() throws Exception {
        String page = HtmlReport.of(outcome(all(Map.of()), 5, List.of()));
        assertThat(page)
                .contains("What is &lt;acked&gt; &amp; kept.", ">held<")
                .doesNotContain("<script", "<link", "src=");
        assertThat(page.replace("http://www.w3.org/2000/svg", "")).doesNotContain("http:", "https:", "url(h");
        Document svg = svg(page);
        List<Element> bands = rects(svg, "#c8553d");
        assertThat(bands).as("a wide band, its edge, and the legend").hasSize(3);
        // The load lasts 2 s, the fault from 0.5 s to 1.5 s: half of the picture.
        double whole = width(rects(svg, "#f3f5f7").get(0));
        assertThat(width(bands.get(0))).isBetween(whole * 0.49, whole * 0.51);
        assertThat(rects(svg, "#134f8c"))
                .as("leads: broker 1, then 2, and the legend")
                .hasSize(4);
    }

    private static Document svg(String page) throws Exception {
        String svg = page.substring(page.indexOf("<svg"), page.indexOf("</svg>") + 6);
        DocumentBuilder builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        return builder.parse(new InputSource(new StringReader(svg)));
    }

    private static List<Element> rects(Document svg, String fill) {
        List<Element> found = new ArrayList<>();
        NodeList rects = svg.getElementsByTagName("rect");
        for (int i = 0; i < rects.getLength(); i++) {
            Element rect = (Element) rects.item(i);
            if (rect.getAttribute("fill").equals(fill)) {
                found.add(rect);
            }
        }
        return found;
    }

    private static double width(Element rect) {
        return Double.parseDouble(rect.getAttribute("width"));
    }

    static DrillOutcome outcome(Map<Measure, Long> found, long acked, List<String> problems) {
        return outcome(found, acked, problems, false);
    }

    private static DrillOutcome outcome(Map<Measure, Long> found, long acked, List<String> problems, boolean kafka) {
        TopicPartition id = new TopicPartition("t", 0);
        List<Change> changes = List.of(
                new Change(1, START - 100, id, null, WHOLE, "CreateTopics", "created"),
                new Change(2, START + 500, id, WHOLE, state(2, 2, 3), "FenceBrokers", "broker 1 lost"),
                new Change(3, START + 900, id, state(2, 2, 3), state(2, 2), "AlterPartition", "leader 2 removes 3"));
        return outcome(found, acked, problems, kafka, changes);
    }

    private static DrillOutcome outcome(
            Map<Measure, Long> found, long acked, List<String> problems, boolean kafka, List<Change> changes) {
        TopicPartition id = new TopicPartition("t", 0);
        TreeMap<String, DrillOutcome.Partition> partitions = new TreeMap<>();
        partitions.put(
                "t-0",
                new DrillOutcome.Partition(
                        id,
                        changes,
                        new TreeMap<>(Map.of(START + 10, 5L, START + 700, 9L)),
                        new long[] {START + 1, START + 1200},
                        new Availability(1199, START + 1)));
        return new DrillOutcome(
                DRILL,
                kafka,
                START,
                START + 2000,
                List.of(new Fault(Action.KILL, START + 500, START + 1500, Set.of(1), "", "kill 1")),
                partitions,
                new EnumMap<>(found),
                Map.of(),
                problems,
                List.of(),
                acked,
                0);
    }

    private static PartitionStateView state(int leader, Integer... isr) {
        return new PartitionStateView(leader, 0, List.of(1, 2, 3), List.of(isr), List.of());
    }
}
