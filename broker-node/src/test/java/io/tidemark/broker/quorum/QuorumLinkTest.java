package io.tidemark.broker.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.tidemark.broker.runtime.QuorumPort.OutcomeUnknownException;
import io.tidemark.model.config.HistoryConfig;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;
import io.tidemark.model.metadata.QuorumQuery.Heartbeat;
import io.tidemark.model.metadata.QuorumQuery.HeartbeatAnswer;
import io.tidemark.model.metadata.QuorumQuery.Member;
import io.tidemark.model.metadata.QuorumQuery.MembersAnswer;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.QuorumReply.Answer;
import io.tidemark.quorum.ratis.NodeClock;
import io.tidemark.quorum.ratis.QuorumAdmin;
import io.tidemark.quorum.ratis.QuorumHarness;
import io.tidemark.quorum.ratis.QuorumServer;
import io.tidemark.quorum.ratis.ScriptedDecisions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The link against a real quorum, also while controllers die. */
class QuorumLinkTest {
    private static final QuorumCommand ALLOCATE = new QuorumCommand.AllocateProducerIds(1, 1);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private List<Integer> left = List.of();
    private QuorumHarness quorum;
    private QuorumLink link;

    /** Keeps the image and checks that each step begins where the last one ended. */
    private static final class Recorder implements MetadataListener {
        volatile ClusterImage image = ClusterImage.EMPTY;
        /** How often it was given all at once. */
        final AtomicInteger whole = new AtomicInteger();

        final List<String> problems = new CopyOnWriteArrayList<>();

        @Override
        public void onImage(ClusterImage before, ClusterImage after, List<IndexedEntry> entries) {
            if (before != image || after.index() <= before.index()) {
                problems.add("a step from " + before + " to " + after + ", at " + image);
            }
            if (entries == null) {
                whole.incrementAndGet();
            }
            image = after;
        }

        @Override
        public void onFailure(RuntimeException cause) {
            problems.add(cause.toString());
        }
    }

    private void start(QuorumRpc rpc) {
        quorum = new QuorumHarness(
                folder, 3, id -> new ScriptedDecisions(), rpc, NodeClock.SYSTEM, UnaryOperator.identity());
        quorum.leader();
        link = new QuorumLink(new LinkSettings("broker-7", quorum.voters(), quorum.clusterId(), rpc, 100));
    }

    @AfterEach
    void stop() {
        link.close();
        quorum.close();
        assertThat(quorum.failures())
                .allMatch(line -> left.stream().anyMatch(id -> line.startsWith("controller " + id + ":")));
    }

    /** These were removed: that they end is no failure. */
    private void leftOnly(Integer... ids) {
        left = List.of(ids);
    }

    @ParameterizedTest
    @EnumSource(QuorumRpc.class)
    void theMembersAreToldByTheActingControllerAlsoAfterItsLoss(QuorumRpc rpc) throws Exception {
        start(rpc);
        MembersAnswer first = link.members().toCompletableFuture().get(30, TimeUnit.SECONDS);
        assertThat(first.leaderId()).isEqualTo(quorum.leader().nodeId());
        assertThat(first.voters())
                .extracting(Member::id, Member::address)
                .containsExactlyElementsOf(quorum.voters().stream()
                        .map(voter -> tuple(voter.id(), voter.address()))
                        .toList());
        Awaitility.await("all have all").atMost(PATIENCE).untilAsserted(() -> {
            MembersAnswer now = link.members().toCompletableFuture().get(30, TimeUnit.SECONDS);
            assertThat(now.voters()).allSatisfy(voter -> {
                assertThat(voter.endIndex()).isEqualTo(now.endIndex());
                assertThat(voter.caughtUpMs()).isPositive().isLessThanOrEqualTo(System.currentTimeMillis());
            });
        });
        int lost = first.leaderId();
        quorum.kill(lost);
        MembersAnswer second = link.members().toCompletableFuture().get(30, TimeUnit.SECONDS);
        assertThat(second.leaderId()).isNotEqualTo(lost);
        assertThat(second.term()).isGreaterThan(first.term());
        // It is still a member, and never heard of in this term.
        assertThat(second.voters())
                .filteredOn(voter -> voter.id() == lost)
                .singleElement()
                .satisfies(voter -> assertThat(voter.caughtUpMs()).isEqualTo(-1));
    }

    @ParameterizedTest
    @EnumSource(QuorumRpc.class)
    void controllersThatJoinLaterAreFoundAndFollowed(QuorumRpc rpc) throws Exception {
        start(rpc);
        Recorder recorder = new Recorder();
        link.follow(recorder);
        assertThat(link.submit(ALLOCATE)
                        .toCompletableFuture()
                        .get(30, TimeUnit.SECONDS)
                        .error())
                .isEqualTo(ErrorCode.NONE);
        int fourth = quorum.another().id();
        int fifth = quorum.another().id();
        quorum.join(fourth);
        quorum.join(fifth);
        try (QuorumAdmin admin = quorum.admin()) {
            admin.transfer(fourth);
            // Of those that the link was made with none is left.
            for (int id : new int[] {101, 102, 103}) {
                admin.remove(id, false);
                quorum.kill(id);
                Answer answer = link.submit(ALLOCATE).toCompletableFuture().get(30, TimeUnit.SECONDS);
                assertThat(answer.error()).isEqualTo(ErrorCode.NONE);
                Awaitility.await("the feed goes on")
                        .atMost(PATIENCE)
                        .until(() -> recorder.image.index() >= answer.index());
            }
        }
        assertThat(recorder.problems).isEmpty();
        leftOnly(101, 102, 103);
    }

    @ParameterizedTest
    @EnumSource(QuorumRpc.class)
    void commandsHeartbeatsAndTheFeedWorkTogether(QuorumRpc rpc) throws Exception {
        start(rpc);
        Recorder recorder = new Recorder();
        link.follow(recorder);
        Answer registered = await(link.submit(register()));
        List<HeartbeatAnswer> answers = new CopyOnWriteArrayList<>();
        link.heartbeats(
                () -> new Heartbeat(7, registered.brokerEpoch(), recorder.image.index(), false, false),
                (answer, sent) -> answers.add(answer));
        Awaitility.await("unfenced by heartbeats, seen in the feed")
                .atMost(PATIENCE)
                .until(() -> recorder.image.broker(7) != null
                        && !recorder.image.broker(7).fenced());
        assertThat(answers)
                .isNotEmpty()
                .allSatisfy(answer -> assertThat(answer.error()).isEqualTo(ErrorCode.NONE));

        for (int i = 0; i < 10; i++) {
            CompletionStage<Answer> stage = i % 2 == 0 ? link.submit(ALLOCATE) : link.attempt(ALLOCATE);
            Answer answer = await(stage);
            assertThat(answer.reply())
                    .isEqualTo(
                            new QuorumReply.ProducerIds((long) i * ScriptedDecisions.BLOCK, ScriptedDecisions.BLOCK));
        }
        Awaitility.await("the feed is level with the controllers")
                .atMost(PATIENCE)
                .until(() -> recorder.image.nextProducerId() == 10L * ScriptedDecisions.BLOCK);
        assertThat(recorder.image.digest()).isEqualTo(quorum.converged().digest());
        assertThat(recorder.problems).isEmpty();
    }

    @Test
    void aRefusalThatCostsNoEntryIsAnAnswer() throws Exception {
        start(QuorumHarness.RPC);
        QuorumCommand empty = new QuorumCommand.CreateTopics(List.of(), false, "me");
        assertThat(await(link.submit(empty)).error()).isEqualTo(ErrorCode.INVALID_REQUEST);
        assertThat(await(link.attempt(empty)).error()).isEqualTo(ErrorCode.INVALID_REQUEST);
    }

    @Test
    void whenTheLeaderDiesSubmittedCommandsAreCarriedOutOnceAndTheFeedGoesOn() throws Exception {
        start(QuorumHarness.RPC);
        Recorder recorder = new Recorder();
        link.follow(recorder);
        List<HeartbeatAnswer> answers = new CopyOnWriteArrayList<>();
        link.heartbeats(() -> new Heartbeat(7, 1, 1, true, false), (answer, sent) -> answers.add(answer));
        List<CompletableFuture<Answer>> stages = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            stages.add(link.submit(ALLOCATE).toCompletableFuture());
        }
        QuorumServer dying = quorum.leader();
        stages.get(10).get(60, TimeUnit.SECONDS);
        quorum.kill(dying.nodeId());
        for (int i = 0; i < 50; i++) {
            stages.add(link.submit(ALLOCATE).toCompletableFuture());
        }
        List<Long> blocks = new ArrayList<>();
        for (CompletableFuture<Answer> stage : stages) {
            blocks.add(
                    ((QuorumReply.ProducerIds) stage.get(60, TimeUnit.SECONDS).reply()).first());
        }
        assertThat(blocks).doesNotHaveDuplicates();
        Awaitility.await("the feed has all of it, from controllers that live")
                .atMost(PATIENCE)
                .until(() -> recorder.image.nextProducerId() == 100L * ScriptedDecisions.BLOCK);
        assertThat(quorum.converged().nextProducerId())
                .as("each was carried out once")
                .isEqualTo(100L * ScriptedDecisions.BLOCK);
        int before = answers.size();
        Awaitility.await("heartbeats are answered by the next controller")
                .atMost(PATIENCE)
                .until(() -> answers.size() > before + 3);
        assertThat(answers.get(answers.size() - 1).term())
                .isEqualTo(quorum.leader().status().term());
        assertThat(recorder.problems).isEmpty();
    }

    @Test
    void theFeedGoesOnWhicheverControllerDies() {
        start(QuorumHarness.RPC);
        Recorder recorder = new Recorder();
        link.follow(recorder);
        for (int i = 0; i < quorum.voters().size(); i++) {
            int id = quorum.voters().get(i).id();
            quorum.kill(id);
            quorum.leader();
            long expected = (i + 1L) * ScriptedDecisions.BLOCK;
            link.submit(ALLOCATE);
            Awaitility.await("news after controller " + id + " died")
                    .atMost(PATIENCE)
                    .until(() -> recorder.image.nextProducerId() == expected);
            quorum.startNode(id);
            quorum.converged();
        }
        assertThat(recorder.problems).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(QuorumRpc.class)
    void anImageThatIsReadInPartsIsBegunAgainWhenTheControllerThatSendsItDies(QuorumRpc rpc) throws Exception {
        quorum = QuorumHarness.withCoreThatPurges(folder, 3, HistoryConfig.DEFAULT, rpc);
        quorum.leader();
        link = new QuorumLink(new LinkSettings("broker-7", quorum.voters(), quorum.clusterId(), rpc, 100));
        Answer registered = await(link.submit(register(quorum.clusterId())));
        await(link.submit(new QuorumCommand.UnfenceBroker(new BrokerRef(7, registered.brokerEpoch()))));
        QuorumCommand.NewTopic many =
                new QuorumCommand.NewTopic("many", -1, -1, Collections.nCopies(1_000, List.of(7)), Map.of());
        assertThat(await(link.submit(new QuorumCommand.CreateTopics(List.of(many), false, "me")))
                        .error())
                .isEqualTo(ErrorCode.NONE);
        quorum.converged();
        quorum.takeSnapshots();
        // Started from their snapshots they have nothing else in memory.
        for (QuorumServer server : quorum.servers()) {
            quorum.stop(server.nodeId());
            quorum.startNode(server.nodeId());
        }
        quorum.leader();
        quorum.converged();
        // So that the first transfer goes on for longer than a controller takes to end.
        quorum.cutAnswers(1_000, 1);

        Recorder recorder = new Recorder();
        link.follow(recorder);
        int first = Awaitility.await("somebody sends parts")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(1))
                .until(this::sender, id -> id >= 0);
        assertThat(recorder.image.index()).isEqualTo(ClusterImage.EMPTY.index());
        quorum.kill(first);
        assertThat(recorder.image.index())
                .as("parts are no use without the rest")
                .isEqualTo(ClusterImage.EMPTY.index());
        quorum.cutAnswers(1_000, 1_000);
        int second = Awaitility.await("another sends them").atMost(PATIENCE).until(this::sender, id -> id >= 0);
        assertThat(second).isNotEqualTo(first);
        Awaitility.await("the whole image, and what came after it")
                .atMost(PATIENCE)
                .until(() -> recorder.image.digest() == quorum.converged().digest());
        assertThat(recorder.image.topic("many").partitions()).hasSize(1_000);
        assertThat(recorder.whole).hasValue(1);
        assertThat(recorder.problems).isEmpty();
    }

    /** A controller that keeps an answer to be read in parts, or -1. */
    private int sender() {
        return quorum.servers().stream()
                .map(QuorumServer::nodeId)
                .filter(id -> quorum.keptAnswers(id) > 0)
                .findFirst()
                .orElse(-1);
    }

    @Test
    void anAttemptThatMayTakeEffectLaterIsSaidToBeOfUnknownOutcome() throws Exception {
        start(QuorumHarness.RPC);
        link.close();
        link = new QuorumLink(new LinkSettings(
                "broker-7", quorum.voters(), quorum.clusterId(), QuorumHarness.RPC, 3_000, 500, 100, 1_000));
        await(link.attempt(ALLOCATE));
        QuorumServer leader = quorum.leader();
        quorum.servers().stream().filter(server -> server != leader).forEach(server -> quorum.kill(server.nodeId()));
        // Without a majority nothing can be committed: whether this one ever is, nobody can say.
        assertThatThrownBy(() -> await(link.attempt(ALLOCATE)))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(OutcomeUnknownException.class);
        assertThatThrownBy(() -> await(link.submit(ALLOCATE)))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(OutcomeUnknownException.class);
    }

    private static Answer await(CompletionStage<Answer> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static QuorumCommand register() {
        return register("cluster");
    }

    private static QuorumCommand register(String clusterId) {
        return new QuorumCommand.RegisterBroker(
                clusterId, 7, "incarnation", List.of("dir"), List.of(), "", -1, "", false, 1, 1, List.of());
    }
}
