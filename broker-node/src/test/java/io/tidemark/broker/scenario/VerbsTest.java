package io.tidemark.broker.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The verbs are those of docs/SCENARIOS.md, and what is not one of them is named with its place. */
class VerbsTest {
    private static final Path PAGE = Path.of("../docs/SCENARIOS.md");
    private static final Pattern HEADING = Pattern.compile("(?m)^#### (\\S+)\n(?s:(.*?))(?=\n###|\\z)");

    private static Map<String, Verb> verbs() {
        return new Verbs(new Cluster()).all();
    }

    @Test
    void everyVerbAndEveryOptionIsOnThePage() throws IOException {
        String page = Files.readString(PAGE);
        Map<String, Verb> verbs = verbs();
        List<MatchResult> headings = HEADING.matcher(page).results().toList();
        assertThat(headings.stream().map(found -> found.group(1)).toList())
                .containsExactlyInAnyOrderElementsOf(verbs.keySet());
        for (MatchResult found : headings) {
            for (String option : new TreeSet<>(verbs.get(found.group(1)).options())) {
                assertThat(found.group(2))
                        .as("%s of %s", option, found.group(1))
                        .containsPattern("(?s)\\b" + option + "(=|`)");
            }
        }
    }

    private static void fails(String lines, String message) {
        ScenarioFile file = ScenarioFile.parse("x.scenario", "# head\n\n" + lines + "\n----\n");
        assertThatThrownBy(() -> Scenarios.run(file))
                .isInstanceOf(ScenarioException.class)
                .hasMessageContaining(message);
    }

    @Test
    void whatCannotBeIsNamedWithFileAndLine() {
        fails("clutser brokers=[1]", "x.scenario:3: no verb 'clutser', only [");
        fails("cluster brokers=[1] lagg=3", "x.scenario:3: 'cluster' has no option 'lagg', only [");
        fails("cluster", "x.scenario:3: 'cluster' needs brokers=..");
        fails("cluster brokers=[1]\nlearn", "x.scenario:4: 'learn' takes 1 to 2 arguments, not []");
        fails("cluster brokers=[1]\nlearn 2", "x.scenario:4: there is no broker 2, only [1]");
        fails("cluster brokers=[1]\nlearn one", "x.scenario:4: 'one' is no number for brokers");
        fails("cluster brokers=[1]\nfetch 1", "x.scenario:4: broker 1 is down");
        fails("cluster brokers=[1]\nlearn 1\nfetch 1", "x.scenario:5: broker 1 has no replica of partition 0");
        fails("cluster brokers=[1]\nlearn 1 slowly", "x.scenario:4: 'learn' does not know 'slowly', only [stepwise]");
        fails("cluster brokers=[1]\nproduce 1 acks=2", "x.scenario:4: 'produce' does not know '2', only [all, 1, 0]");
        fails("topic replicas=[1] floor=high", "x.scenario:3: 'high' is no floor such as");
        fails("arrive a7", "x.scenario:3: no proposal is called a7, only []");
        fails("serve f7", "x.scenario:3: no fetch is called f7, only []");
        fails("cluster brokers=[1]\nlog 1 0-9", "x.scenario:4: '0-9' is no batch such as");
        assertThatThrownBy(() -> ScenarioFile.parse("x", "show\n\n----\n"))
                .isInstanceOf(ScenarioException.class)
                .hasMessageContaining("x:1: a block has a line ----");
    }

    @Test
    void aListOfCommandsBecomesAFile() {
        String file = Scenarios.write(
                List.of("An idle cluster.", "Nothing happens (I7)."),
                List.of(
                        List.of("cluster brokers=[1,2]", "topic replicas=[1,2]", "log [1,2] \"0..9@0\" hw=10"),
                        List.of("learn all", "show controller 2")));
        assertThat(file).isEqualTo("""
                        # An idle cluster.
                        # Nothing happens (I7).

                        cluster brokers=[1,2]
                        topic replicas=[1,2]
                        log [1,2] "0..9@0" hw=10
                        ----

                        learn all
                        show controller 2
                        ----
                        1: leads LE=0 from 10, committed [1,2]
                        2: follows 1 LE=0 from 10
                        @19 M{L=1 LE=0 PE=0 ISR=[1,2] ELR=[] LKE=[]} floor=none min=1 replicas=[1,2]
                        brokers 1@11 2@12
                        2@12: follows 1 LE=0 PE=0, LEO 10 HW 10 E{0:0} log 0..9@0
                        """);
    }
}
