package io.tidemark.broker.drill.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class DrillReaderTest {
    private static final String SOUND = """
            name: example
            promise: >
              It holds
              in two lines.
            cluster:
              brokers: 3
              settings:
                all: {a.b: 5}
              disks: {2: 64}
              topics:
                - {name: orders, partitions: 2, replicas: 2, configs: {min.insync.replicas: 2}}
            workload:
              producers:
                - {name: steady, acks: all, rate: 100}
                - {name: hasty, acks: 1, count: 10}
              consumers:
                - {name: reader}
                - {name: group, members: 2}
            keeps: {replicas: none}
            steps:
              - {at: 1s, do: kill, node: leader of orders-1, as: victim}
              - {at: 1.5s, do: configure, topic: orders, set: {x: 1}}
              - {at: 2s, do: start, node: victim}
              - {at: 2500ms, do: reassign, partition: orders-0, to: [3, 1]}
            length: 4s
            expect:
              unavailable-ms: {most: 500}
              given-up: any
            expect-on-kafka:
              lost: {least: 1}
            """;

    @Test
    void aSoundFileIsReadWhole() {
        Drill drill = read(SOUND);
        assertThat(drill.name()).isEqualTo("example");
        assertThat(drill.promise()).isEqualTo("It holds in two lines.");
        assertThat(drill.cluster().brokers()).isEqualTo(3);
        assertThat(drill.cluster().controllers()).isEqualTo(3);
        assertThat(drill.cluster().diskMb()).isEqualTo(Map.of(2, 64));
        assertThat(drill.cluster().settings()).isEqualTo(Map.of("all", Map.of("a.b", "5")));
        assertThat(drill.cluster().topics().get(0).assignment()).containsExactly(List.of(1, 2), List.of(2, 3));
        assertThat(drill.workload().producers().get(0).idempotent()).isTrue();
        assertThat(drill.workload().producers().get(1).promises()).isFalse();
        assertThat(drill.workload().producers().get(1).count()).isEqualTo(10);
        assertThat(drill.workload().consumers().get(1).members()).isEqualTo(2);
        assertThat(drill.keeps()).isEqualTo(new Keeps(true, false, true));
        assertThat(drill.lengthMs()).isEqualTo(4000);
        assertThat(drill.steps()).extracting(Step::atMs).containsExactly(1000L, 1500L, 2000L, 2500L);
        assertThat(drill.steps().get(3).argument("to")).isEqualTo("3,1");
        assertThat(drill.steps().get(0).line()).isEqualTo(21);
    }

    @Test
    void whatAFileDoesNotSayIsAsUsual() {
        Drill drill = read(SOUND);
        assertThat(drill.expected(false).get(Measure.LOST)).isEqualTo(Bound.exactly(0));
        assertThat(drill.expected(false).get(Measure.UNAVAILABLE_MS)).isEqualTo(new Bound(0, 500));
        assertThat(drill.expected(true).get(Measure.LOST).holds(0)).isFalse();
        assertThat(drill.expected(true).get(Measure.LOST).holds(1)).isTrue();
        assertThat(drill.expected(true).get(Measure.UNAVAILABLE_MS)).isEqualTo(new Bound(0, 500));
    }

    /** What is replaced by what, the line that is told, and a part of the message. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            name: example               | name: Ex ample          | 1  | small letters
            length: 4s                  | length: four            | 25 | has to be a time
            length: 4s                  | length: -4s             | 25 | has to be a time
            length: 4s                  | length: 99999999999999999999s | 25 | no more than a day
            'partitions: 2, replicas: 2'| 'assignment: []'        | 11 | needs a partition
            length: 4s                  | len: 4s                 | 25 | there is no len here
            do: kill                    | do: kil                 | 21 | there is no action kil
            node: leader of orders-1    | node: leader of orders-2| 21 | no partition orders-2
            node: leader of orders-1    | node: boss of orders-1  | 21 | no node is meant
            node: leader of orders-1    | node: 4                 | 21 | there is no node 4
            at: 1.5s                    | at: 0.5s                | 22 | order of their times
            topic: orders               | topic: invoices         | 22 | no topic invoices
            node: victim                | node: victims           | 23 | no node is meant
            do: start                   | do: await               | 23 | await takes no node
            'to: [3, 1]'                | 'to: [3, 4]'            | 24 | there is no broker 4
            'to: [3, 1]'                | 'to: [3, 3]'            | 24 | different brokers
            ', to: [3, 1]'              | ''                      | 24 | reassign needs to
            acks: 1,                    | acks: 2,                | 15 | all or 1
            acks: all,                  | acks: 1,                | 13 | nothing is promised
            'name: hasty'               | 'name: steady'          | 13 | two have one name
            'given-up: any'             | 'gone: any'             | 28 | nothing is measured under the name gone
            'disks: {2: 64}'            | 'disks: {7: 64}'        | 9  | there is no broker 7
            'keeps: {replicas: none}'   | 'keeps: {replicas: 2}'  | 19 | one or none
            'keeps: {replicas: none}'   | 'name: again'           | 19 | name is there twice
            'keeps: {replicas: none}'   | 'keeps: {replicas: none' | 20 | this is no YAML
            as: victim                  | as: 2                   | 21 | means nodes already
            as: victim                  | as: all nodes           | 21 | means nodes already
            'set: {x: 1}'               | 'set: {}'               | 22 | a key and a value
            'set: {x: 1}'               | 'set: {x: 1}, as: y'    | 22 | done to no nodes
            'lost: {least: 1}'          | 'lost: {least: 2, most: 1}' | 30 | nothing is at least 2 and at most 1
            'lost: {least: 1}'          | 'lost: {}'              | 30 | least, most, or both
            """)
    void aMistakeIsToldWithItsLine(String part, String instead, int line, String message) {
        assertThat(SOUND).contains(part);
        assertThatThrownBy(() -> read(SOUND.replace(part, instead)))
                .isInstanceOf(PlanException.class)
                .hasMessageStartingWith("file.yaml, line " + line + ": ")
                .hasMessageContaining(message);
    }

    @Test
    void anAwaitThatNamesTooLittleIsRefused() {
        String await = SOUND.replace("do: start, node: victim", "do: await, until: isr-size, partition: orders-0");
        assertThatThrownBy(() -> read(await)).hasMessageContaining("line 23").hasMessageContaining("size");
        String lonely = SOUND.replace("do: start, node: victim", "do: await, until: new-leader");
        assertThatThrownBy(() -> read(lonely)).hasMessageContaining("needs partition");
    }

    @Test
    void twoTopicsOfOneNameAreRefused() {
        String twice = SOUND.replace("workload:", "    - {name: orders}\nworkload:");
        assertThatThrownBy(() -> read(twice)).hasMessageContaining("two have one name: orders, orders");
    }

    @Test
    void aValueWithCommasIsOne() {
        Drill drill = read(SOUND.replace("set: {x: 1}", "set: {cleanup.policy: 'compact,delete', y: 2}"));
        assertThat(drill.steps().get(1).argument("set").split(Step.SETTINGS_DELIMITER))
                .containsExactlyInAnyOrder("cleanup.policy=compact,delete", "y=2");
        assertThat(drill.steps().get(1).words())
                .contains("cleanup.policy=compact,delete")
                .doesNotContain("\n");
    }

    /** Whatever the name of a node has in it. */
    @Test
    void aNameMeansOnlyWhatItWasGivenTo() {
        assertThat(read(SOUND.replace("as: victim", "as: far from any controller")
                                .replace(
                                        "do: start, node: victim",
                                        "do: unplug, from: brokers, node: far from any controller"))
                        .steps())
                .hasSize(4);
    }

    /** What is done in line 21 instead of a kill, and a part of the message. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            do: cut, node: 1                                                    | cut needs from
            do: cut, node: 1, from: brokers                                     | cut needs way
            do: cut, node: 1, from: brokers, way: both                          | cut is for one way
            do: cut, node: 1, from: brokers, way: up                            | in, out, both
            do: cut, node: 101, from: brokers, way: in                          | no cable to the brokers
            do: unplug, node: acting controller, from: brokers                  | no cable to the brokers
            do: unplug, node: acting controller, from: other-brokers            | no cable to the brokers
            do: unplug, node: 1, from: followers                                | controllers, brokers, other-brokers
            do: unplug, node: all nodes, from: brokers                          | no cable to the brokers
            do: fill-disk, node: 1                                              | a small disk
            do: impair, node: 1, from: brokers                                  | delay, loss, or both
            do: impair, node: 1, from: brokers, loss: 100                       | from 1 to 99
            do: impair, node: 1, from: brokers, delay: 11s                      | 1ms to 10s
            do: impair, node: 1, from: brokers, delay: 5                        | has to be a time
            do: slow-disk, node: 1                                              | slow-disk needs delay
            do: slow-disk, node: all nodes, delay: 5ms                          | slow-disk is for brokers
            do: slow-disk, node: acting controller, delay: 5ms                  | slow-disk is for brokers
            do: jump-clock, node: 1                                             | jump-clock needs by
            do: jump-clock, node: 1, by: -1h                                    | has to be a time
            do: jump-clock, node: 1, by: 2000000s                               | -1000000s to 1000000s
            do: restore-clock, node: 1, by: 1s                                  | takes no by
            """)
    void aMistakeInWhatHindersANodeIsToldWithItsLine(String instead, String message) {
        assertThatThrownBy(() -> read(SOUND.replace("do: kill, node: leader of orders-1", instead)))
                .isInstanceOf(PlanException.class)
                .hasMessageStartingWith("file.yaml, line 21: ")
                .hasMessageContaining(message);
    }

    @Test
    void whatHindersANodeIsReadAndToldWithItsUnits() {
        Drill drill = read(instead("do: impair, node: 3, from: brokers, delay: 0.5s, loss: 7, way: in"));
        assertThat(drill.steps().get(0).words()).isEqualTo("impair 3 from brokers way in delay 500 ms loss 7 %");
        assertThat(drill.cutsNetworks()).isTrue();
        assertThat(drill.jumpsClocks()).isFalse();
        drill = read(instead("do: jump-clock, node: acting controller, by: -3600s"));
        assertThat(drill.steps().get(0).argument("by")).isEqualTo("-3600000");
        assertThat(drill.jumpsClocks()).isTrue();
        assertThat(drill.cutsNetworks()).isFalse();
    }

    @Test
    void disksThatMayHaveToBeSlowedAreKnownBeforehand() {
        assertThat(read(SOUND).slowDisks()).isEmpty();
        assertThat(read(instead("do: slow-disk, node: 1, delay: 5ms")).slowDisks())
                .containsExactly(1);
        assertThat(read(instead("do: slow-disk, node: 102, delay: 5ms")).slowDisks())
                .containsExactly(102);
        assertThat(read(instead("do: slow-disk, node: leader of orders-0, delay: 5ms")
                                .replace("disks: {2: 64}", ""))
                        .slowDisks())
                .containsExactly(1, 2, 3);
        assertThatThrownBy(() -> read(instead("do: slow-disk, node: 2, delay: 5ms")))
                .hasMessageContaining("a disk is either small or can be slowed");
    }

    private static String instead(String step) {
        return SOUND.replace("do: kill, node: leader of orders-1", step);
    }

    static Stream<Path> shipped() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("..", "config", "drills"))) {
            return files.toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("shipped")
    void shippedDrillsAreSoundAndNamedAfterTheirFiles(Path file) throws IOException {
        Drill drill = DrillReader.read(file.toString(), Files.readString(file));
        assertThat(file.getFileName().toString()).isEqualTo(drill.name() + ".yaml");
        assertThat(drill.promise()).endsWith(".");
        assertThat(drill.steps()).isNotEmpty();
    }

    private static Drill read(String text) {
        return DrillReader.read("file.yaml", text);
    }
}
