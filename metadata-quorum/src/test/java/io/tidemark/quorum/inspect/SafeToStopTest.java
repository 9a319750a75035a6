package io.tidemark.quorum.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.MetadataRecord;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumQuery.Member;
import io.tidemark.model.metadata.QuorumQuery.MembersAnswer;
import io.tidemark.model.metadata.QuorumQuery.Recovery;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.quorum.inspect.ClusterStatus.Partition;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A stop is refused exactly where a partition or the quorum would not bear it. */
class SafeToStopTest {
    /** Broker 2 is asked about. Lists are ids with blanks; {@code gone} are fenced, {@code silent} answer no question. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            emptyValue = "",
            nullValues = "-",
            value = {
                // case                             |replicas|leader|ISR    |ELR  |last|min|gone|silent| reason
                "all in sync                        | 1 2 3  | 1    | 1 2 3 | -   | -  | 2 | -  | -    | -",
                "it leads                           | 1 2 3  | 2    | 1 2 3 | -   | -  | 2 | -  | -    | -",
                "one lags                           | 1 2 3  | 1    | 1 2   | -   | -  | 2 | -  | -    | 1 in sync would",
                "it lags itself                     | 1 2 3  | 1    | 1 3   | -   | -  | 2 | -  | -    | -",
                "it lags, below min ISR             | 1 2 3  | 1    | 1     | 2   | -  | 2 | 3  | -    | has to come back",
                "it lags, out of the ELR            | 1 2 3  | 1    | 1     | 3   | -  | 2 | 3  | -    | has to come back",
                "the last in sync                   | 1 2 3  | 2    | 2     | 1 3 | -  | 2 | -  | -    | no other replica is",
                "min ISR 1, two in sync             | 1 2 3  | 2    | 1 2   | -   | -  | 1 | -  | -    | -",
                "min ISR 1, the last in sync        | 1 2 3  | 2    | 2     | -   | -  | 1 | -  | -    | no other replica is",
                "min ISR of all replicas            | 1 2 3  | 1    | 1 2 3 | -   | -  | 3 | -  | -    | 2 in sync would",
                "a single replica                   | 2      | 2    | 2     | -   | -  | 1 | -  | -    | it has no other",
                "one in sync is fenced by now       | 1 2 3  | 1    | 1 2 3 | -   | -  | 2 | 3  | -    | 1 in sync would",
                "one in sync does not answer        | 1 2 3  | 1    | 1 2 3 | -   | -  | 2 | -  | 3    | 1 in sync would",
                "it lags, the only leader is silent | 1 2    | 1    | 1     | -   | -  | 1 | -  | 1    | no in-sync replica",
                "nobody leads, it is in the ELR     | 1 2 3  | -1   | -     | 1 2 | 1  | 2 | 1  | -    | nobody leads",
                "nobody leads, it led last          | 1 2 3  | -1   | -     | 1   | 2  | 2 | 1  | -    | nobody leads",
                "nobody leads, it is in the ISR     | 1 2 3  | -1   | 2     | -   | -  | 2 | 1  | -    | nobody leads",
                "nobody leads, others may           | 1 2 3  | -1   | -     | 1 3 | 1  | 2 | 1  | -    | -"
            })
    void aPartitionBearsItOrNot(
            String name,
            String replicas,
            int leader,
            String isr,
            String elr,
            String last,
            int minIsr,
            String gone,
            String silent,
            String reason) {
        PartitionState state = new PartitionState(
                new PartitionId(new TopicId(1, 1), 0),
                ids(replicas),
                ids(isr),
                ids(elr),
                ids(last),
                leader,
                0,
                0,
                false,
                List.of(),
                List.of(),
                Floor.NONE,
                List.of(),
                minIsr);
        SafeToStop answer = SafeToStop.broker(status(101, ids(gone), ids(silent), state), 2);
        assertThat(answer.reasons()).isEmpty();
        assertThat(answer.partitions()).hasSize(1);
        assertThat(answer.safe()).isEqualTo(reason == null);
        assertThat(answer.partitions().get(0).reason()).contains(reason == null ? "" : reason);
    }

    /** Its leader serves nobody, however many others are in sync. */
    @Test
    void aBrokerThatIsStuckIsNotThere() {
        PartitionState state =
                PartitionState.created(new PartitionId(new TopicId(1, 1), 0), List.of(1, 2, 3), List.of(1, 2, 3), 1);
        NodeAnswer stuck = new NodeAnswer(1, "h:1", true, true, "", List.of("is not alive: why"), List.of(), List.of());
        ClusterStatus status = status(101, List.of(), List.of(), state);
        ClusterStatus failed = new ClusterStatus(
                status.controllers(), status.leaderId(), status.image(), status.partitions(), List.of(stuck));
        assertThat(SafeToStop.broker(failed, 2).against())
                .singleElement()
                .extracting(SafeToStop.Answer::reason)
                .isEqualTo("its leader, broker 1, is not there or has it out of service");
        assertThat(SafeToStop.broker(failed, 1).safe()).isTrue();
    }

    /** The only other member of the ISR takes no append any more, whatever its broker says of itself. */
    @Test
    void aReplicaOutOfServiceIsNotThere() {
        PartitionState state =
                PartitionState.created(new PartitionId(new TopicId(1, 1), 0), List.of(1, 2), List.of(1, 2), 1);
        ClusterStatus status = status(101, List.of(), List.of(), state);
        assertThat(SafeToStop.broker(status, 2).safe()).isTrue();
        NodeAnswer failing = new NodeAnswer(
                1, "h:1", true, true, "", List.of(), List.of("orders-0: out of service: why"), List.of());
        ClusterStatus failed = new ClusterStatus(
                status.controllers(), status.leaderId(), status.image(), status.partitions(), List.of(failing));
        assertThat(SafeToStop.broker(failed, 2).against())
                .singleElement()
                .extracting(SafeToStop.Answer::reason)
                .isEqualTo("no other replica is in sync and there");
        assertThat(SafeToStop.broker(failed, 1).safe())
                .as("its own restart is the remedy")
                .isTrue();
    }

    @Test
    void aPartitionWithoutAReplicaThereHasNoSay() {
        PartitionState elsewhere =
                PartitionState.created(new PartitionId(new TopicId(1, 1), 0), List.of(1), List.of(1), 1);
        SafeToStop answer = SafeToStop.broker(status(101, List.of(), List.of(), elsewhere), 2);
        assertThat(answer.safe()).isTrue();
        assertThat(answer.partitions()).isEmpty();
    }

    @Test
    void withoutAnActingControllerNobodyWouldElectAnother() {
        SafeToStop answer = SafeToStop.broker(status(-1, List.of(), List.of()), 2);
        assertThat(answer.safe()).isFalse();
        assertThat(answer.reasons()).singleElement().asString().contains("no acting controller");
        assertThat(SafeToStop.broker(ClusterStatus.of(List.of()), 2).safe()).isFalse();
    }

    /** Controller 102 is asked about; 101 acts. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "all of three are there, 101 102 103, '', true",
        "another one is away, 101 102, 103, false",
        "it is away itself, 101 103, 102, true",
        "one of five is away, 101 102 103 104, 105, true",
        "two of five are away, 101 102 103, 104 105, false",
        "two members, 101 102, '', false",
        "it is no member, 101 103, 104, true"
    })
    void theQuorumBearsItOrNot(String name, String there, String away, boolean safe) {
        assertThat(SafeToStop.controller(members(ids(there), ids(away), false), 102)
                        .safe())
                .isEqualTo(safe);
    }

    @Test
    void aMemberBehindIsNotThereAndAChangeUnderWayIsWaitedFor() {
        MembersAnswer behind = members(List.of(101, 102), List.of(), false, new Member(103, "h:1", 5, 100_000, 0));
        assertThat(SafeToStop.controller(behind, 102).safe()).isFalse();
        assertThat(SafeToStop.controller(members(List.of(101, 102, 103), List.of(), true), 102)
                        .reasons())
                .singleElement()
                .asString()
                .contains("under way");
    }

    @Test
    void theActingOneIsToldOf() {
        SafeToStop answer = SafeToStop.controller(members(List.of(101, 102, 103), List.of(), false), 101);
        assertThat(answer.safe()).isTrue();
        assertThat(answer.notes()).singleElement().asString().contains("acts");
    }

    @Test
    void whatIsAgainstItComesFirstAndLongListsAreCut() {
        List<PartitionState> states = IntStream.range(0, 30)
                .mapToObj(i -> PartitionState.created(
                        new PartitionId(new TopicId(1, 1), i),
                        i == 29 ? List.of(2) : List.of(1, 2),
                        i == 29 ? List.of(2) : List.of(1, 2),
                        2))
                .toList();
        SafeToStop answer =
                SafeToStop.broker(status(101, List.of(), List.of(), states.toArray(PartitionState[]::new)), 2);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        SafeToStopText.print(new PrintStream(bytes, true, StandardCharsets.UTF_8), 2, answer);
        List<String> lines = bytes.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines.get(0))
                .isEqualTo("node 2 is NOT safe to stop: 1 of 30 partitions with a replica there do not bear it");
        assertThat(lines.get(1))
                .isEqualTo("  UNSAFE orders-29 ISR=[2] left=[] ELR=[] min.ISR=0: it has no other replica");
        assertThat(lines).hasSize(22).last().asString().contains("10 more");
        assertThat(SafeToStopText.json(2, answer)).contains("\"safe\":false", "\"partition\":28", "\"left\":[1]");
    }

    private static List<Integer> ids(String text) {
        return text == null || text.isBlank()
                ? List.of()
                : Arrays.stream(text.trim().split(" ")).map(Integer::valueOf).toList();
    }

    /** Brokers 1, 2 and 3, those in {@code gone} fenced. */
    private static ClusterStatus status(
            int leader, List<Integer> gone, List<Integer> silent, PartitionState... partitions) {
        List<MetadataRecord> records = new ArrayList<>();
        for (int id = 1; id <= 3; id++) {
            records.add(new MetadataRecord.BrokerRegistered(
                    id, 1, "i" + id, List.of("d" + id), List.of(), "", "", 1, 1, true));
            if (!gone.contains(id)) {
                records.add(new MetadataRecord.BrokerUnfenced(id, 1));
            }
        }
        ClusterImage image = ClusterImage.EMPTY.apply(
                1,
                new MetadataEntry(
                        -1, 0, new MetadataEntry.Cause("test", -1, -1, "", ""), records, new QuorumReply.Done()));
        return new ClusterStatus(
                List.of(),
                leader,
                image,
                Arrays.stream(partitions)
                        .map(state -> new Partition("orders", state))
                        .toList(),
                silent.stream()
                        .map(id -> new NodeAnswer(id, "h:1", false, false, "silent", List.of(), List.of(), List.of()))
                        .toList());
    }

    private static MembersAnswer members(List<Integer> there, List<Integer> away, boolean changing, Member... others) {
        List<Member> voters = Stream.of(
                        there.stream().map(id -> new Member(id, "h:1", 10, 100_000, 100_000)),
                        away.stream().map(id -> new Member(id, "h:1", 10, 50_000, 50_000)),
                        Arrays.stream(others))
                .flatMap(members -> members)
                .toList();
        return new MembersAnswer(101, 1, 10, 10, voters, changing, List.of(), Recovery.NONE);
    }
}
