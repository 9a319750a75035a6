package io.tidemark.model.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which replicas are throttled (R4.23). */
class ThrottledReplicasTest {
    @Test
    void aListNamesPartitionsOfBrokers() {
        ThrottledReplicas replicas = ThrottledReplicas.of(" 0:1, 3:1,0:2 ", 1);
        assertThat(replicas.contains(0)).isTrue();
        assertThat(replicas.contains(3)).isTrue();
        assertThat(replicas.contains(1)).isFalse();
        assertThat(ThrottledReplicas.of("0:1,3:1,0:2", 2).contains(3)).isFalse();
        assertThat(ThrottledReplicas.of("0:1", 3)).isEqualTo(ThrottledReplicas.NONE);
    }

    @Test
    void aStarIsAllAndNothingIsNone() {
        assertThat(ThrottledReplicas.of("*", 1).contains(17)).isTrue();
        assertThat(ThrottledReplicas.of("", 1)).isEqualTo(ThrottledReplicas.NONE);
        assertThat(ThrottledReplicas.of(null, 1)).isEqualTo(ThrottledReplicas.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "*", "0:1", "0:1,1:2", "0:1 , 1:2"})
    void legal(String value) {
        assertThat(ThrottledReplicas.legal(value)).isTrue();
    }

    @Test
    void aListMayNameEveryReplicaOfALargeTopic() {
        String list = "0:1" + ",17:2".repeat(100_000);
        assertThat(ThrottledReplicas.legal(list)).isTrue();
        assertThat(ThrottledReplicas.legal(list + ",")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0:", ":1", "0:1,", "0:1,*", "**", "-1:2", "0:1:2", "a:b", "9999999999:1"})
    void illegal(String value) {
        assertThat(ThrottledReplicas.legal(value)).isFalse();
    }
}
