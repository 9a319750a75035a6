package io.tidemark.broker.drill.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tidemark.broker.drill.DrillException;
import io.tidemark.broker.drill.judge.Fault;
import io.tidemark.broker.drill.judge.Survival;
import io.tidemark.broker.drill.plan.Action;
import io.tidemark.broker.drill.plan.Keeps;
import io.tidemark.broker.drill.plan.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is done to nodes is undone, whatever state they are in. Processes that do nothing stand for nodes. */
class FaultInjectorTest {
    /** start N is refused while there is a file broken-N, and takes long while there is slow. */
    private static final String SCRIPT = """
            #!/bin/sh
            cd "$(dirname "$0")"
            case $1 in
              bootstrap) echo 127.0.0.1:1 ;;
              directory) echo "$PWD/node-$2" ;;
              start)
                [ ! -e broken-$2 ] || { echo "node $2 is broken" >&2; exit 1; }
                touch starting-$2
                while [ -e slow ]; do sleep 0.05; done
                nohup sh -c 'while :; do sleep 1; done' node "$PWD/config/node-$2.properties" >/dev/null 2>&1 </dev/null &
                echo $! >run/node-$2.pid
                until grep -q properties /proc/$!/cmdline; do sleep 0.01; done
                ;;
            esac
            """;

    @TempDir
    Path data;

    private DrillCluster cluster;
    private Admins admins;
    private FaultInjector injector;

    @BeforeEach
    void threeNodes() throws IOException {
        data = data.toRealPath();
        Path script = Files.writeString(data.resolve("cluster.sh"), SCRIPT);
        assertThat(script.toFile().setExecutable(true)).isTrue();
        Files.createDirectories(data.resolve("run"));
        Files.createDirectories(data.resolve("config"));
        cluster = new DrillCluster(
                false,
                true,
                List.of(script.toString()),
                List.of(),
                data,
                List.of(1, 2, 3),
                List.of(101, 102),
                Surroundings.NONE);
        cluster.start(cluster.nodes());
        for (int node : cluster.nodes()) {
            Files.delete(data.resolve("starting-" + node));
        }
        admins = new Admins(cluster.bootstrap());
        injector = injector();
    }

    private FaultInjector injector() {
        return new FaultInjector(
                cluster,
                admins,
                new Survival(new Keeps(false, false, false), List.of()),
                new Conditions(cluster.bootstrap(), admins, null, List.of()),
                line -> {});
    }

    @AfterEach
    void end() {
        admins.close();
        cluster.nodes().stream().filter(cluster::runs).forEach(node -> cluster.signal(List.of(node), "KILL"));
    }

    @Test
    void aPausedNodeThatIsKilledIsStartedAgain() {
        run(Action.PAUSE, 3);
        run(Action.KILL, 3);
        injector.heal();
        assertThat(cluster.runs(3)).isTrue();
        assertThat(injector.faults()).extracting(Fault::action).containsExactly(Action.PAUSE, Action.KILL);
        assertThat(injector.died()).isEmpty();
    }

    @Test
    void aPausedNodeEndsWhenItIsToldTo() {
        run(Action.PAUSE, 3);
        run(Action.STOP, 3);
        assertThat(cluster.runs(3)).isFalse();
        injector.heal();
        assertThat(cluster.runs(3)).isTrue();
    }

    @Test
    void aPausedNodeThatDiesIsStartedAgainAndTheOthersGoOn() throws IOException {
        run(Action.PAUSE, 1);
        run(Action.PAUSE, 3);
        cluster.signal(List.of(1), "KILL");
        cluster.awaitGone(List.of(1));
        injector.heal();
        assertThat(cluster.runs(1)).isTrue();
        assertThat(injector.died()).containsExactly(1);
        assertThat(state(3)).isNotEqualTo("T");
    }

    @Test
    void aNodeThatCannotBeHelpedKeepsNoOtherFromIt() throws IOException {
        run(Action.KILL, 1);
        run(Action.KILL, 2);
        run(Action.PAUSE, 101);
        Files.createFile(data.resolve("broken-1"));
        assertThatThrownBy(injector::heal).isInstanceOf(DrillException.class).hasMessageContaining("node 1 is broken");
        assertThat(cluster.runs(1)).isFalse();
        assertThat(cluster.runs(2)).isTrue();
        assertThat(state(101)).isNotEqualTo("T");
        Files.delete(data.resolve("broken-1"));
        injector.heal();
        assertThat(cluster.runs(1)).isTrue();
    }

    @Test
    void whatWasDownBeforeTheDrillStaysDown() {
        cluster.signal(List.of(2), "KILL");
        cluster.awaitGone(List.of(2));
        injector = injector();
        run(Action.KILL, 3);
        injector.heal();
        assertThat(cluster.runs(2)).isFalse();
        assertThat(cluster.runs(3)).isTrue();
        assertThat(injector.died()).isEmpty();
    }

    @Test
    void whoeverIsGoneAlreadyKeepsNobodyFromBeingKilled() {
        run(Action.KILL, 1);
        run(Action.KILL, "all brokers");
        assertThat(cluster.brokers()).noneMatch(cluster::runs);
        assertThatThrownBy(() -> run(Action.PAUSE, 1)).hasMessageContaining("node 1 does not run");
        injector.heal();
        assertThat(cluster.brokers()).allMatch(cluster::runs);
        assertThat(injector.died()).isEmpty();
    }

    /** The machine's own disk is nobody's to fill. */
    @Test
    void onlyASmallDiskIsFilled() throws IOException {
        Files.createDirectories(cluster.directory(1));
        assertThatThrownBy(() -> run(Action.FILL_DISK, 1)).hasMessageContaining("not a small one");
        assertThat(cluster.directory(1)).isEmptyDirectory();
    }

    @Test
    void aFileThatIsNotThereIsNotDamaged() throws IOException {
        Files.createDirectories(cluster.directory(1));
        run(Action.KILL, 1);
        for (Action action : List.of(Action.CORRUPT_FILE, Action.DELETE_FILE)) {
            Step step = new Step(0, action, "1", "", Map.of("file", "orders-0/typo"), 1);
            assertThatThrownBy(() -> injector.run(step)).hasMessageContaining("no file orders-0/typo");
        }
        assertThat(cluster.directory(1)).isEmptyDirectory();
    }

    @Test
    void aControllerWithANameHasNoCableToTheBrokersEither() {
        injector.run(new Step(0, Action.NOTE, "101", "far", Map.of(), 1));
        assertThatThrownBy(() -> injector.run(new Step(0, Action.UNPLUG, "far", "", Map.of("from", "brokers"), 1)))
                .hasMessageContaining("no cable to the brokers");
        injector.heal();
    }

    /** The first one does not become in sync again, for nobody answers. */
    @Test
    void aRollThatIsInterruptedEndsAtOnceAndTouchesNoOtherNode() throws Exception {
        Files.createFile(data.resolve("slow"));
        Thread roll = new Thread(() ->
                assertThatThrownBy(() -> run(Action.ROLL, "all controllers")).hasMessageContaining("interrupted"));
        roll.start();
        await().until(() -> Files.exists(data.resolve("starting-101")));
        Thread close = new Thread(injector::close);
        close.start();
        await().until(injector::isClosed);
        Files.delete(data.resolve("slow"));
        close.join(30_000);
        assertThat(close.isAlive()).as("it waits for the roll").isFalse();
        roll.join();
        assertThat(cluster.runs(101)).isTrue();
        assertThat(data.resolve("starting-102")).doesNotExist();
        assertThatThrownBy(() -> run(Action.KILL, 2)).hasMessageContaining("interrupted");
        assertThat(cluster.runs(2)).isTrue();
    }

    private void run(Action action, int node) {
        run(action, Integer.toString(node));
    }

    private void run(Action action, String node) {
        injector.run(new Step(0, action, node, "", Map.of(), 1));
    }

    private String state(int node) throws IOException {
        String pid = Files.readString(data.resolve("run/node-" + node + ".pid")).strip();
        String stat = Files.readString(Path.of("/proc", pid, "stat"));
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ")[0];
    }
}
