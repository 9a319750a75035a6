package io.tidemark.model.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ControllerConfigTest {
    private static final Map<String, String> LEAST = Map.of(
            "process.roles", "controller",
            "node.id", "102",
            "controller.quorum.voters", "101@a:1,102@[fe80::1]:2",
            "log.dirs", "/data");

    @Test
    void itsOwnAddressIsItsEntryAmongTheVoters() {
        ControllerConfig config = read(Map.of());
        assertThat(config.self()).isEqualTo(new QuorumVoter(102, "fe80::1", 2));
        assertThat(config.self()).hasToString("102@[fe80::1]:2");
    }

    @Test
    void theMetadataDirectoryWinsOverTheSharedOne() {
        assertThat(read(Map.of()).directory()).isEqualTo(Path.of("/data"));
        assertThat(read(Map.of("metadata.log.dir", "/meta")).directory()).isEqualTo(Path.of("/meta"));
    }

    @Test
    void aControllerThatIsNoVoterIsRefused() {
        assertThatThrownBy(() -> read(Map.of("node.id", "7"))).hasMessageContaining("does not name this controller");
    }

    @Test
    void aVoterNamedTwiceIsRefused() {
        assertThatThrownBy(() -> read(Map.of("controller.quorum.voters", "102@a:1,102@b:1")))
                .hasMessageContaining("node 102 is named twice");
    }

    @Test
    void anotherRoleIsRefused() {
        assertThatThrownBy(() -> read(Map.of("process.roles", "broker")))
                .hasMessageContaining("process.roles must contain 'controller'");
        assertThatThrownBy(() -> read(Map.of("process.roles", "zookeeper")))
                .hasMessageContaining("expected broker, controller or both");
    }

    @Test
    void electionTimeoutsThatLeaveNoRoomAreRefused() {
        assertThatThrownBy(() -> read(Map.of("quorum.election.timeout.min.ms", "600")))
                .hasMessageContaining("is not below quorum.election.timeout.max.ms");
    }

    @Test
    void theRecoveryStrategyFollowsTheUncleanSwitch() {
        assertThat(read(Map.of()).uncleanElection().strategy()).isEqualTo(UncleanElection.Strategy.BALANCED);
        UncleanElection unclean =
                read(Map.of("unclean.leader.election.enable", "true")).uncleanElection();
        assertThat(unclean.strategy()).isEqualTo(UncleanElection.Strategy.AGGRESSIVE);
    }

    private static ControllerConfig read(Map<String, String> more) {
        Map<String, String> values = new HashMap<>(LEAST);
        values.putAll(more);
        return ControllerConfig.from(new ConfigReader("test", values));
    }
}
