package io.tidemark.quorum.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.model.config.DirectoryException;
import io.tidemark.model.config.NodeDirectory;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.Uuids;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumQuery.MembersAnswer;
import io.tidemark.model.metadata.QuorumQuery.Recovery;
import io.tidemark.quorum.files.KeyframeFile;
import io.tidemark.quorum.files.RecoveryFile;
import io.tidemark.quorum.ratis.NewQuorum.Beginning;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A quorum that lost its majority begins anew with an image. */
class NewQuorumTest {
    private static final QuorumCommand ALLOCATE = new QuorumCommand.AllocateProducerIds(1, 1);

    @TempDir
    private Path folder;

    private QuorumHarness quorum;

    @AfterEach
    void nothingFailed() {
        quorum.close();
        assertThat(quorum.failures()).isEmpty();
    }

    private void start(QuorumRpc rpc) {
        quorum = new QuorumHarness(
                folder, 3, id -> new ScriptedDecisions(), rpc, NodeClock.SYSTEM, UnaryOperator.identity());
        quorum.leader();
    }

    private void fill(int commands) throws IOException {
        try (HarnessClient client = new HarnessClient(quorum)) {
            for (int i = 0; i < commands; i++) {
                assertThat(client.submit(ALLOCATE).error()).isEqualTo(ErrorCode.NONE);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(QuorumRpc.class)
    void theLogGoesOnAboveTheImageAndEverybodyIsToldOfTheRecovery(QuorumRpc rpc) throws Exception {
        start(rpc);
        fill(20);
        ClusterImage before = quorum.converged();
        int survivor = quorum.follower().nodeId();
        Path image = quorum.export(survivor, folder.resolve("saved"));
        long index = KeyframeFile.parse(image).orElseThrow().index();
        quorum.beginAnew(image);
        ClusterImage after = quorum.converged();
        assertThat(after.nextProducerId()).isEqualTo(before.nextProducerId());
        try (HarnessClient client = new HarnessClient(quorum);
                QuorumAdmin admin = quorum.admin()) {
            long epoch = client.submit(QuorumTest.register(7)).brokerEpoch();
            assertThat(epoch).as("epochs go on above the image").isGreaterThan(index);
            MembersAnswer members = admin.members();
            assertThat(members.term()).isGreaterThan(NewQuorum.TERMS_APART);
            assertThat(members.recovery().index()).isEqualTo(index);
            assertThat(members.recovery().id()).isNotEmpty();
            // One that joins later tells the same.
            int fourth = quorum.another().id();
            quorum.join(fourth);
            assertThat(admin.transfer(fourth).recovery()).isEqualTo(members.recovery());
        }
        // It is a quorum like any other: snapshots, purges, restarts.
        fill(20);
        quorum.takeSnapshots();
        quorum.voters().forEach(voter -> quorum.kill(voter.id()));
        quorum.voters().forEach(voter -> quorum.startNode(voter.id()));
        long digest = quorum.converged().digest();
        assertThat(quorum.servers())
                .allSatisfy(server -> assertThat(server.image().digest()).isEqualTo(digest));
        assertThat(quorum.converged().nextProducerId())
                .isEqualTo(before.nextProducerId() + 20L * ScriptedDecisions.BLOCK);
    }

    @Test
    void aFileThatIsNotAWholeImageIsRefused() throws Exception {
        start(QuorumHarness.RPC);
        Path image = quorum.export(101, folder.resolve("saved"));
        Path renamed = Files.copy(image, folder.resolve("image"));
        assertThatThrownBy(() -> Beginning.read(renamed, "id")).hasMessageContaining("not named snapshot.TERM_INDEX");
        Path lower = folder.resolve(KeyframeFile.nameOf(1, 0));
        Files.copy(image, lower);
        assertThatThrownBy(() -> Beginning.read(lower, "id")).hasMessageContaining("is missing");
        Files.copy(KeyframeFile.digestOf(image), KeyframeFile.digestOf(lower));
        assertThatThrownBy(() -> Beginning.read(lower, "id")).hasMessageContaining("by its name that at 0");
        byte[] bytes = Files.readAllBytes(image);
        bytes[bytes.length / 2] ^= 1;
        Files.write(image, bytes);
        assertThatThrownBy(() -> Beginning.read(image, "id")).hasMessageContaining("is damaged");
    }

    @Test
    void onlyDirectoriesThatWereFormattedForItAndNeverRanAreFilled() throws Exception {
        start(QuorumHarness.RPC);
        Beginning from = Beginning.read(quorum.export(101, folder.resolve("saved")), "id");
        assertThatThrownBy(() -> write(folder.resolve("blank"), quorum.clusterId(), from))
                .isInstanceOf(DirectoryException.class)
                .hasMessageContaining("not formatted");
        Path other = folder.resolve("other");
        NodeDirectory.format(other, Uuids.random(), 101, false);
        assertThatThrownBy(() -> write(other, quorum.clusterId(), from)).hasMessageContaining("belongs to node 101 of");
        Path fresh = folder.resolve("fresh");
        NodeDirectory.format(fresh, quorum.clusterId(), 101, false);
        write(fresh, quorum.clusterId(), from);
        write(fresh, quorum.clusterId(), from);
        assertThat(RecoveryFile.read(RecoveryFile.in(fresh))).isEqualTo(new Recovery("id", from.index()));
        QuorumStorage.begin(fresh);
        assertThatThrownBy(() -> write(fresh, quorum.clusterId(), from)).hasMessageContaining("holds the log");
    }

    /** A founder without its image would found an empty quorum, whose brokers delete what it does not know. */
    @Test
    void whoAwaitsItsImageDoesNotStartBeforeItIsThere() throws Exception {
        start(QuorumHarness.RPC);
        fill(5);
        Path image = quorum.export(101, folder.resolve("saved"));
        Beginning from = Beginning.read(image, "id");
        quorum.kill(101);
        quorum.wipe(101);
        NodeDirectory.format(
                quorum.directory(101), quorum.clusterId(), 101, false, Optional.of(NodeDirectory.AWAITING_IMAGE));
        assertThatThrownBy(() -> quorum.startNode(101)).hasStackTraceContaining("has not got it");
        quorum.wipe(101);
        NodeDirectory.format(quorum.directory(101), quorum.clusterId(), 101, false);
        NewQuorum.prepare(quorum.directory(101), 101, quorum.clusterId());
        assertThatThrownBy(() -> quorum.startNode(101)).hasStackTraceContaining("has not got it");
        NewQuorum.write(quorum.directory(101), 101, quorum.clusterId(), quorum.voters(), from);
        assertThat(quorum.directory(101).resolve(NodeDirectory.AWAITING_IMAGE)).doesNotExist();
    }

    @Test
    void ofTwoTriesTheLastImageCounts() throws Exception {
        start(QuorumHarness.RPC);
        fill(5);
        Beginning lower = Beginning.read(quorum.export(101, folder.resolve("saved")), "one");
        fill(5);
        quorum.converged();
        Beginning higher = Beginning.read(quorum.export(101, folder.resolve("saved")), "two");
        assertThat(higher.index()).isGreaterThan(lower.index());
        Path fresh = folder.resolve("fresh");
        NodeDirectory.format(fresh, quorum.clusterId(), 101, false);
        write(fresh, quorum.clusterId(), higher);
        write(fresh, quorum.clusterId(), lower);
        try (Stream<Path> files = Files.walk(fresh)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> name.startsWith("snapshot")))
                    .containsExactlyInAnyOrder(
                            KeyframeFile.nameOf(lower.term(), lower.index()),
                            KeyframeFile.nameOf(lower.term(), lower.index()) + KeyframeFile.DIGEST_SUFFIX);
        }
        assertThat(RecoveryFile.read(RecoveryFile.in(fresh)).id()).isEqualTo("one");
    }

    @Test
    void everyRecoveryIsRemembered() throws Exception {
        start(QuorumHarness.RPC);
        Path image = quorum.export(101, folder.resolve("saved"));
        long first = KeyframeFile.parse(image).orElseThrow().index();
        quorum.beginAnew(image);
        fill(5);
        quorum.converged();
        Path second = quorum.export(101, folder.resolve("again"));
        long index = KeyframeFile.parse(second).orElseThrow().index();
        quorum.beginAnew(second);
        try (QuorumAdmin admin = quorum.admin()) {
            Recovery told = admin.members().recovery();
            assertThat(told.all()).extracting(Recovery.Past::index).containsExactly(first, index);
            int fourth = quorum.another().id();
            quorum.join(fourth);
            assertThat(RecoveryFile.read(RecoveryFile.in(quorum.directory(fourth))))
                    .isEqualTo(told);
        }
        // Without what is beside it, the image would seem to be of a history that lost nothing.
        Files.delete(RecoveryFile.beside(second));
        assertThatThrownBy(() -> Beginning.read(second, "id")).hasMessageContaining(".recovered is missing");
    }

    private void write(Path directory, String clusterId, Beginning from) throws IOException {
        NewQuorum.write(directory, 101, clusterId, List.copyOf(quorum.voters()), from);
    }
}
