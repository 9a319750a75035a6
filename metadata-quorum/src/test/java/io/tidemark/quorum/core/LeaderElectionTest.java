package io.tidemark.quorum.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.PartitionState;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Elections, alone and inside of changes, row by row; each kind of row with live and with dead candidates. */
class LeaderElectionTest {
    static List<String> elections() {
        return Table.rows("/election/elections.txt");
    }

    static List<String> changes() {
        return Table.rows("/election/changes.txt");
    }

    @ParameterizedTest
    @MethodSource("elections")
    void election(String row) {
        String[] f = Table.fields(row, "\\|{1,2}");
        LeaderElection.Outcome outcome = LeaderElection.elect(
                LeaderElection.Mode.valueOf(f[0]),
                Table.ids(f[1]),
                Table.ids(f[2]),
                new Seats.Beside(Table.ids(f[3]), List.of()),
                Integer.parseInt(f[4]),
                Table.ids(f[5])::contains);
        assertThat(outcome).isEqualTo(new LeaderElection.Outcome(Integer.parseInt(f[6]), f[7].equals("unclean")));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void change(String row) {
        String[] f = Table.fields(row, "\\|{1,2}");
        String[] before = Table.fields(f[1], "/");
        boolean recovering = before[3].endsWith("R");
        PartitionState state = new PartitionState(
                new PartitionId(new TopicId(1, 1), 0),
                List.of(1, 2, 3),
                Table.ids(before[0]),
                Table.ids(before[1]),
                Table.ids(before[2]),
                Integer.parseInt(before[3].replace("R", "").strip()),
                5,
                9,
                recovering,
                List.of(),
                List.of(),
                Floor.NONE,
                List.of(),
                Integer.parseInt(f[0]));
        String after = new PartitionChange(state, Table.ids(f[5])::contains)
                .mode(LeaderElection.Mode.valueOf(f[2]))
                .targetIsr(Table.ids(f[3]))
                .forgetting(new HashSet<>(Table.ids(f[4])))
                .build()
                .map(change -> state.with(change).toString())
                .orElse("none");
        assertThat(after).isEqualTo(f[6]);
    }
}
