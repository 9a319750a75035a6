package io.tidemark.quorum.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.codec.SnapshotCodec;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ConfigResource;
import io.tidemark.model.metadata.Endpoint;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.ConfigChange;
import io.tidemark.model.metadata.QuorumCommand.ConfigEdit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is shown of a sound log: filters, points in time, differences, JSON; and what the script adds. */
class InspectTest {
    @TempDir
    private Path folder;

    private final TimeZone zone = TimeZone.getDefault();
    private final TreeMap<Long, ClusterImage> images = new TreeMap<>();
    private FixtureLog log;
    private long created;
    private long lost;
    private long configured;

    @BeforeEach
    void aShortLife() {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        log = new FixtureLog(folder);
        log.bootstrap();
        log.start(1);
        log.start(2);
        remember();
        log.at(FixtureLog.NOON + 60_000).createTopic("orders", List.of(List.of(1, 2), List.of(2, 1)));
        created = remember();
        log.createTopic("payments", List.of(List.of(2, 1)));
        log.committed();
        log.roll();
        remember();
        log.snapshot();
        log.at(FixtureLog.NOON + 120_000).fence("process gone", 2);
        lost = remember();
        log.at(FixtureLog.NOON + 180_000)
                .run(new QuorumCommand.AlterConfigs(
                        List.of(new ConfigChange(
                                ConfigResource.topic("orders"),
                                false,
                                List.of(new ConfigEdit(ConfigEdit.Kind.SET, "retention.ms", "1000")))),
                        false,
                        "admin"));
        configured = remember();
        log.committed();
        log.flush();
    }

    private long remember() {
        images.put(log.last(), log.image());
        return log.last();
    }

    /** Configurations are of a name, all else is of an id. */
    @Test
    void aTopicIsFoundByItsIdWithItsConfigurations() {
        String id = log.image().topic("orders").id().toString();
        List<String> byName = tool("dump", "--topic", "orders").lines();
        assertThat(tool("dump", "--topic", id).lines()).isEqualTo(byName);
        assertThat(tool("dump", "--topic", id, "--from", configured).out()).contains("retention.ms");
        assertThat(tool("dump", "--topic", log.image().topic("payments").id().toString())
                        .out())
                .doesNotContain("retention.ms");
    }

    @Test
    void allOfTheLogIsUpToItsEnd() {
        Tool both = Tool.run("export", "--dir", folder, "--all", "--at", lost, folder.resolve("image"));
        assertThat(both.status()).isEqualTo(2);
        assertThat(both.err()).contains("--all", "--at");
        assertThat(folder.resolve("image")).doesNotExist();
    }

    @AfterEach
    void restoreZone() {
        log.close();
        TimeZone.setDefault(zone);
    }

    private Tool tool(String command, Object... more) {
        List<Object> words = new ArrayList<>(List.of(command, "--dir", folder));
        words.addAll(List.of(more));
        Tool run = Tool.run(words.toArray());
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        return run;
    }

    private List<Long> indices(Object... more) {
        List<Object> words = new ArrayList<>(List.of(more));
        words.add("--json");
        return tool("dump", words.toArray()).lines().stream()
                .map(line -> Long.parseLong(line.substring("{\"index\":".length(), line.indexOf(','))))
                .toList();
    }

    @Test
    void aLineAnEntryAndOneARecord() {
        assertThat(tool("dump", "--from", lost, "--to", lost).out())
                .isEqualToIgnoringNewLines(EntryText.header() + "\n" + lost
                        + "          1      2026-11-30 12:02:00.000 FenceBrokers       "
                        + "broker 2 at controller 101: process gone\n"
                        + "                  PartitionChanged orders-0 isr=[1] elr=[2]\n"
                        + "                  PartitionChanged orders-1 leader=1 isr=[1] elr=[2]\n"
                        + "                  PartitionChanged payments-0 leader=1 isr=[1] elr=[2]\n"
                        + "                  BrokerFenced broker=2 brokerEpoch=4\n");
    }

    @Test
    void filters() {
        assertThat(indices()).contains(1L, created, lost, configured).doesNotContain(0L, log.last());
        assertThat(indices("--raft")).contains(0L, log.last());
        assertThat(indices("--topic", "orders")).containsExactly(created, lost, configured);
        assertThat(indices("--topic", "orders", "--partition", "1")).containsExactly(created, lost);
        assertThat(indices("--kind", "fencebrokers")).containsExactly(lost);
        assertThat(indices("--kind", "ConfigSet")).containsExactly(1L, configured);
        assertThat(indices("--broker", "2", "--from", created)).containsExactly(created, created + 1, lost);
        assertThat(indices("--from", lost)).containsExactly(lost, configured);
        assertThat(indices("--from", "2026-11-30T12:01:00", "--to", "2026-11-30T12:02:00Z"))
                .containsExactly(created, created + 1, lost);
        assertThat(Tool.run("dump", "--dir", folder, "--partition", "1").status())
                .isEqualTo(2);
        assertThat(Tool.run("dump", "--dir", folder, "--from", "yesterday").err())
                .contains("--from: 'yesterday' is neither an index nor a time");
    }

    @Test
    void anEntryForPrograms() {
        assertThat(tool("dump", "--json", "--from", lost, "--to", lost, "--topic", "payments")
                        .out())
                .startsWith("{\"index\":" + lost + ",\"term\":1,\"committed\":true,\"timestampMs\":1796040120000,"
                        + "\"time\":\"2026-11-30T12:02:00Z\",\"void\":false,\"basedOn\":" + (created + 1)
                        + ",\"cause\":{\"kind\":\"FenceBrokers\",\"controller\":101,\"broker\":2,\"brokerEpoch\":4,"
                        + "\"client\":\"\",\"reason\":\"process gone\"},\"records\":[{\"kind\":\"PartitionChanged\","
                        + "\"topic\":\"payments\",\"topicId\":\"")
                .contains(
                        "\"partition\":0,\"leader\":1,\"isr\":[1],\"elr\":[2]}],\"recordCount\":4,\"reply\":{\"kind\":\"Done\"}");
    }

    @Test
    void theStateAtEveryPoint() {
        images.forEach((index, image) -> assertThat(tool("show", "--at", index).out())
                .as("at %d", index)
                .startsWith("state at index " + index)
                .contains(String.format("digest %016x", image.digest())));
        assertThat(tool("show", "--at", "2026-11-30T12:01:30Z", "--topic", "orders", "--partition", "1")
                        .out())
                .contains("state at index " + (created + 2), "orders-1 leader=2 LE=0 PE=0 replicas=[2,1] ISR=[2,1]")
                .doesNotContain("orders-0", "broker 1");
        assertThat(tool("show", "--broker", "2").out())
                .contains("broker 2 epoch=4 fenced PLAINTEXT://127.0.0.1:9002", "payments-0 leader=1")
                .doesNotContain("broker 1 epoch");
        assertThat(tool("show", "--topic", "orders").out())
                .contains("configuration of TOPIC orders", "  retention.ms=1000");
        assertThat(tool("show", "--topic", "orders", "--json").out())
                .contains("\"configs\":{\"TOPIC orders\":{\"retention.ms\":\"1000\"}}", "\"minIsr\":2");
        assertThat(Tool.run("show", "--dir", folder, "--topic", "absent").err())
                .contains("there is no topic absent there");
        assertThat(Tool.run("show", "--dir", folder, "--at", "100000").err())
                .contains("the log ends at index " + log.last() + " (history begins at index 0 in " + folder);
    }

    @Test
    void whatIsNotKnownToBeCommittedIsMarked() {
        long later = log.later(1_000).run(new QuorumCommand.NoOp());
        log.flush();
        assertThat(tool("dump", "--from", later).out()).contains("(not known to be committed)");
        Tool show = Tool.run("show", "--dir", folder, "--at", later);
        assertThat(show.status()).isZero();
        assertThat(show.err()).contains("is not known to be committed");
        assertThat(tool("show").out()).startsWith("state at index " + (configured));
    }

    @Test
    void differencesBetweenTwoPoints() {
        assertThat(tool("diff", created, configured).lines())
                .contains("+ config TOPIC orders retention.ms: 1000")
                .anyMatch(line -> line.startsWith("~ broker 2: epoch=4 unfenced") && line.contains("-> epoch=4 fenced"))
                .anyMatch(line -> line.startsWith("~ partition orders-1: leader=2 LE=0")
                        && line.contains("-> leader=1 LE=1 PE=1 replicas=[2,1] ISR=[1]"))
                .anyMatch(line -> line.startsWith("+ topic payments: id="));
        assertThat(tool("diff", "--json", lost, lost).out())
                .isEqualToIgnoringNewLines("{\"from\":" + lost + ",\"to\":" + lost + ",\"differences\":[]}");
    }

    /** Two states of different digests are not called the same. */
    @Test
    void whateverOfABrokerDiffersIsTold() {
        QuorumCommand.RegisterBroker as = new QuorumCommand.RegisterBroker(
                FixtureLog.CLUSTER,
                1,
                "1-1",
                List.of("directory-1", "directory-of-another-disk"),
                List.of(new Endpoint("PLAINTEXT", "127.0.0.1", 9001)),
                "cellar",
                -1,
                "another boot",
                true,
                1,
                2,
                List.of());
        long before = log.last();
        long changed = log.run(as);
        log.committed();
        log.flush();
        assertThat(tool("diff", before, changed).out())
                .contains("rack=cellar")
                .contains("directories=[directory-1, directory-of-another-disk]")
                .contains("boot-evidence=another boot")
                .contains("levels=1..2");
        assertThat(tool("show", "--at", changed, "--json").out())
                .contains("\"bootEvidence\":\"another boot\"", "\"maxLevel\":2", "\"shutdownIndex\":-1");
    }

    @Test
    void whatCannotBeUnderstoodIsAnsweredInWords() {
        Tool kind = Tool.run("dump", "--dir", folder, "--kind", "FenceBroker");
        assertThat(kind.status()).isEqualTo(2);
        assertThat(kind.err()).contains("there is no FenceBroker, only: ", "FenceBrokers, ", "BrokerFenced, ");
        Tool diff = Tool.run("diff", folder, folder.resolve("not-there"));
        assertThat(diff.status()).isEqualTo(2);
        assertThat(diff.err()).contains(folder.resolve("not-there") + " is not a directory");
        Path nowhere = folder.resolve("not-there").resolve("image");
        Tool export = Tool.run("export", "--dir", folder, nowhere);
        assertThat(export.status()).isEqualTo(1);
        assertThat(export.err()).contains(nowhere + ": there is no such file or folder");
    }

    @Test
    void anExportIsASnapshotOfItsTermAndIndex() throws IOException {
        tool("export", "--at", lost, folder);
        Path file = folder.resolve("snapshot.1_" + lost);
        assertThat(SnapshotCodec.decode(Files.readAllBytes(file)).digest())
                .isEqualTo(images.get(lost).digest());
        assertThat(folder.resolve("snapshot.1_" + lost + ".md5")).content().endsWith(" *snapshot.1_" + lost + "\n");
    }

    @Test
    void whatIsNoDirectoryOfAControllerIsRefused(@TempDir Path blank) {
        Tool tool = Tool.run("dump", "--dir", blank);
        assertThat(tool.status()).isEqualTo(1);
        assertThat(tool.err())
                .contains(blank + " is not a controller's directory")
                .hasLineCount(1);
        assertThat(Tool.run("show").status()).isEqualTo(2);
        assertThat(Tool.run().status()).isEqualTo(2);
        assertThat(Tool.run("dump", "--help").out()).contains("Examples:", "--kind=K");
    }

    @Test
    void theScriptFindsItsWayAndPassesTheStatusOn() throws Exception {
        assertThat(script("--dir", folder.toString(), "why", "orders", "1"))
                .contains("broker 2 lost: process gone; fenced by controller 101; leader 2 -> 1");
        assertThat(script("--dir", folder.toString(), "verify"))
                .contains("sound")
                .endsWith("status 0");
        Files.writeString(log.current().resolve("foreign"), "x");
        assertThat(script("--dir", folder.toString(), "verify")).endsWith("status 1");
        // No color for a pipe.
        assertThat(script("--dir", folder.toString(), "dump")).doesNotContain("\u001b");
        assertThat(script("--dir", folder.toString(), "dig")).contains("unknown command dig");
    }

    private static String script(String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of("bash", "../scripts/metadata-log.sh"));
        words.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment().put("TIDEMARK_CLASSPATH", System.getProperty("java.class.path"));
        builder.environment().put("JAVA_TOOL_OPTIONS", "-Duser.timezone=UTC");
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return out + "status " + process.exitValue();
    }
}
