package io.tidemark.broker.explore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.broker.replica.SessionClock;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ExplorerTest {
    private static final long ALL = 1_000_000;

    private static Explorer.Outcome explore(Cluster cluster, long states) {
        return new Explorer(cluster).run(states, progress -> {});
    }

    private static Explorer.Outcome explore(String bounds, long states) {
        return explore(new Cluster(Bounds.of(bounds)), states);
    }

    @Test
    void aHundredThousandStatesKeepEveryPromise() {
        Explorer.Outcome outcome = explore("min=2 A=1 LE=2 P=1 C=1 S=1 F=1 T=1 L=1", 100_000);
        assertThat(outcome.breach()).isNull();
        assertThat(outcome.states()).isGreaterThanOrEqualTo(100_000);
    }

    /** B9 lets a refused expansion go because a call is carried out at most once; if it is not, the joiner is let in. */
    @Test
    void whatTheClusterDoesNotPromiseIsFoundAndTold() {
        Bounds bounds = Bounds.of("min=2 isr=1,3 A=1 LE=2 P=0 F=1 D=1");
        Cluster cluster = new Cluster(bounds);
        Explorer.Outcome outcome = explore(cluster, ALL);
        assertThat(outcome.breach()).startsWith("I4: broker 2 is in the ISR");
        String story = Story.of(cluster, bounds, outcome);
        assertThat(story.lines()).contains("fence 2", "append 1 count=1", "# " + outcome.breach());
        assertThat(story).containsSubsequence("sends a1", "arrive a1", "unfence 2", "arrive a1");
    }

    @Test
    void aSmallSpaceIsExhaustedAndAlwaysTheSame() {
        String bounds = "min=2 isr=1,3 A=1 LE=1 PE=2 P=0 F=0 T=1 B=1";
        Explorer.Outcome one = explore(bounds, ALL);
        assertThat(one.exhausted()).isTrue();
        assertThat(one.breach()).isNull();
        assertThat(explore(bounds, ALL)).isEqualTo(one);
    }

    @Test
    void aStateOfABrokerFollowsFromItsInputs() {
        Cluster cluster = new Cluster(Bounds.of("min=2 A=1 LE=2 PE=4 P=1 F=1 L=1"));
        explore(cluster, 20_000);
        assertThat(cluster.brokers.size()).isGreaterThan(500);
        for (int broker = 0; broker < cluster.brokers.size(); broker++) {
            cluster.brokers.verify(broker);
        }
    }

    /** A leader's evidence rests on which session a follower was heard in, not on what is equal in it. */
    @Test
    void oneSessionIsToldFromTwoThatAreEqual() {
        SessionClock one = new SessionClock();
        assertThat(code(List.of(one, one))).isNotEqualTo(code(List.of(one, new SessionClock())));
        SessionClock other = new SessionClock();
        assertThat(code(List.of(one, one))).isEqualTo(code(List.of(other, other)));
    }

    private static StateCode.Code code(List<SessionClock> sessions) {
        StateCode code = new StateCode(Map.of());
        code.put(sessions);
        return code.code();
    }

    @Test
    void whatHoldsStateOfAnUnknownKindIsNotCompared() {
        assertThatThrownBy(() -> new StateCode(Map.of()).put(new StringBuilder()))
                .hasMessageContaining("StringBuilder");
    }

    @Test
    void boundsThatMeanNothingAreRefused() {
        assertThatThrownBy(() -> Bounds.of("Q=1")).hasMessageContaining("Q=1");
        assertThatThrownBy(() -> Bounds.of("A=8")).hasMessageContaining("A=8");
        assertThatThrownBy(() -> Bounds.of("min")).hasMessageContaining("min");
    }
}
