package io.tidemark.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.broker.replica.FetchSessions.Outcome;
import io.tidemark.model.PartitionId;
import io.tidemark.model.TopicId;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** R4.30 to R4.32: opening, going on, ending and giving up sessions, and which partitions of one are worth a look. */
class FetchSessionsTest {
    private static final PartitionId A = new PartitionId(new TopicId(1, 1), 0);
    private static final PartitionId B = new PartitionId(new TopicId(1, 1), 1);
    private static final PartitionId C = new PartitionId(new TopicId(1, 1), 2);

    private int lastId;
    private final FetchSessions sessions = new FetchSessions(2, () -> ++lastId);

    private static FetchSession.Row row(PartitionId id, long offset) {
        return new FetchSession.Row(id, "t", new FetchSession.Want(offset, 1 << 20, 0, -1, 0));
    }

    private static List<PartitionId> dirty(FetchSession session) {
        return session.takeDirty().stream().map(partition -> partition.id).toList();
    }

    @Test
    void r4_30_aSessionOpensAndGoesOnWithTheNextEpoch() {
        FetchSessions.Resolved opened = sessions.resolve(0, 0, false, 0);
        assertThat(opened.outcome()).isEqualTo(Outcome.OPENED);
        int id = opened.session().id();
        assertThat(id).isPositive();
        FetchSessions.Resolved next = sessions.resolve(id, 1, false, 10);
        assertThat(next.outcome()).isEqualTo(Outcome.CONTINUED);
        assertThat(next.session()).isSameAs(opened.session());
        assertThat(sessions.resolve(id, 1, false, 20).outcome()).isEqualTo(Outcome.INVALID_EPOCH);
        assertThat(sessions.resolve(id, 3, false, 20).outcome()).isEqualTo(Outcome.INVALID_EPOCH);
        assertThat(sessions.resolve(id, 2, false, 20).outcome()).isEqualTo(Outcome.CONTINUED);
        assertThat(sessions.resolve(id + 7, 1, false, 20).outcome()).isEqualTo(Outcome.ID_NOT_FOUND);
        assertThat(sessions.resolve(0, 1, false, 20).outcome()).isEqualTo(Outcome.ID_NOT_FOUND);
    }

    @Test
    void r4_30_aReaderDoesNotGoOnWithAFollowersSession() {
        int id = sessions.resolve(0, 0, true, 0).session().id();
        assertThat(sessions.resolve(id, 1, false, 10).outcome()).isEqualTo(Outcome.ID_NOT_FOUND);
        assertThat(sessions.resolve(id, 1, true, 20).outcome()).isEqualTo(Outcome.CONTINUED);
    }

    @Test
    void idsInUseAndThoseThatAreNotPositiveAreNotGivenOut() {
        Iterator<Integer> chance = List.of(5, 5, 0, -3, 6).iterator();
        FetchSessions some = new FetchSessions(2, chance::next);
        assertThat(some.resolve(0, 0, false, 0).session().id()).isEqualTo(5);
        assertThat(some.resolve(0, 0, false, 0).session().id()).isEqualTo(6);
    }

    @Test
    void r4_30_aFullFetchReplacesTheSessionItNames() {
        FetchSession old = sessions.resolve(0, 0, false, 0).session();
        FetchSessions.Resolved opened = sessions.resolve(old.id(), 0, false, 0);
        assertThat(opened.outcome()).isEqualTo(Outcome.OPENED);
        assertThat(opened.replaced()).isSameAs(old);
        assertThat(opened.session().id()).isNotEqualTo(old.id());
        assertThat(sessions.resolve(old.id(), 1, false, 0).outcome()).isEqualTo(Outcome.ID_NOT_FOUND);
        FetchSessions.Resolved closing = sessions.resolve(opened.session().id(), -1, false, 0);
        assertThat(closing.outcome()).isEqualTo(Outcome.SESSIONLESS);
        assertThat(closing.replaced()).isSameAs(opened.session());
        assertThat(closing.session().id()).isZero();
        assertThat(sessions.size()).isZero();
    }

    @Test
    void r4_30_theEpochCountsTheRequests() {
        FetchSession session = new FetchSession(5, false, 0);
        assertThat(session.nextEpoch()).isEqualTo(1);
        for (int i = 0; i < 3; i++) {
            session.advance(i);
        }
        assertThat(session.nextEpoch()).isEqualTo(4);
        assertThat(session.lastUsedMs()).isEqualTo(2);
    }

    @Test
    void r4_32_aFullCacheGivesAwayOnlyIdleSlots() {
        FetchSession first = sessions.resolve(0, 0, false, 0).session();
        FetchSession second = sessions.resolve(0, 0, false, 10).session();
        assertThat(sessions.resolve(0, 0, false, 100).outcome()).isEqualTo(Outcome.SESSIONLESS);
        FetchSessions.Resolved later = sessions.resolve(0, 0, false, FetchSessions.EVICTION_MS + 11);
        assertThat(later.outcome()).isEqualTo(Outcome.OPENED);
        assertThat(later.replaced()).as("the longest idle").isSameAs(first);
        assertThat(sessions.resolve(second.id(), 1, false, FetchSessions.EVICTION_MS + 11)
                        .outcome())
                .isEqualTo(Outcome.CONTINUED);
    }

    @Test
    void r4_32_followersTakeTheSlotsOfConsumersAndNotTheOtherWayRound() {
        FetchSession consumer = sessions.resolve(0, 0, false, 0).session();
        sessions.resolve(0, 0, true, 0);
        FetchSessions.Resolved follower = sessions.resolve(0, 0, true, 1);
        assertThat(follower.outcome()).isEqualTo(Outcome.OPENED);
        assertThat(follower.replaced()).isSameAs(consumer);
        assertThat(sessions.resolve(0, 0, true, 2).outcome()).isEqualTo(Outcome.SESSIONLESS);
        assertThat(sessions.resolve(0, 0, false, 2).outcome()).isEqualTo(Outcome.SESSIONLESS);
    }

    @Test
    void closingEndsThatSessionOnly() {
        FetchSession session = sessions.resolve(0, 0, false, 0).session();
        sessions.close(new FetchSession(session.id(), false, 0));
        assertThat(sessions.size()).isEqualTo(1);
        sessions.close(session);
        assertThat(sessions.size()).isZero();
    }

    @Test
    void r4_31_onlyWhatChangedIsLookedAt() {
        FetchSession session = new FetchSession(5, false, 0);
        List<FetchSession.Partition> dropped = new ArrayList<>();
        assertThat(session.update(List.of(row(A, 1), row(B, 2)), List.of(), dropped))
                .hasSize(2);
        assertThat(dirty(session)).containsExactly(A, B);
        assertThat(dirty(session)).isEmpty();
        session.changed(B);
        session.changed(C);
        assertThat(dirty(session)).containsExactly(B);
        assertThat(session.update(List.of(row(A, 9)), List.of(), dropped)).isEmpty();
        assertThat(session.partition(A).want().offset()).isEqualTo(9);
        assertThat(dirty(session)).containsExactly(A);
    }

    @Test
    void r4_30_whatIsForgottenIsGone() {
        FetchSession session = new FetchSession(5, false, 0);
        List<FetchSession.Partition> dropped = new ArrayList<>();
        session.update(List.of(row(A, 1), row(B, 2)), List.of(), dropped);
        FetchSession.Partition a = session.partition(A);
        session.update(List.of(), List.of(A, C), dropped);
        assertThat(dropped).containsExactly(a);
        assertThat(session.size()).isEqualTo(1);
        assertThat(dirty(session)).containsExactly(B);
        session.keepDirty(a);
        session.changed(A);
        assertThat(dirty(session)).isEmpty();
    }

    @Test
    void r4_24_aPartitionThatGaveDataComesBehindTheOthers() {
        FetchSession session = new FetchSession(5, false, 0);
        session.update(List.of(row(A, 1), row(B, 2), row(C, 3)), List.of(), new ArrayList<>());
        List<FetchSession.Partition> taken = session.takeDirty();
        session.changed(B);
        session.changed(C);
        session.keepDirty(taken.get(0));
        assertThat(dirty(session)).containsExactly(B, C, A);
    }

    @Test
    void r4_31_aRowIsWorthSendingIfMarkOrStartAreNews() {
        FetchSession session = new FetchSession(5, false, 0);
        session.update(List.of(row(A, 1)), List.of(), new ArrayList<>());
        FetchSession.Partition a = session.partition(A);
        assertThat(a.news(0, 0)).isTrue();
        a.sent(10, 2);
        assertThat(a.news(10, 2)).isFalse();
        assertThat(a.news(11, 2)).isTrue();
        assertThat(a.news(10, 3)).isTrue();
        a.sentError();
        assertThat(a.news(10, 2)).as("after an error the next good answer").isTrue();
    }

    @Test
    void r4_32_aSlotIsIdleOnlyPastTheLimit() {
        FetchSession old = sessions.resolve(0, 0, false, 0).session();
        sessions.resolve(0, 0, false, 1);
        assertThat(sessions.resolve(0, 0, false, FetchSessions.EVICTION_MS).outcome())
                .isEqualTo(Outcome.SESSIONLESS);
        assertThat(sessions.evictions()).isZero();
        assertThat(sessions.resolve(0, 0, false, FetchSessions.EVICTION_MS + 1).replaced())
                .isSameAs(old);
        assertThat(sessions.evictions()).isEqualTo(1);
        assertThat(sessions.size()).isEqualTo(2);
    }

    @Test
    void theirPartitionsAreCounted() {
        sessions.resolve(0, 0, false, 0).session().update(List.of(row(A, 1), row(B, 2)), List.of(), new ArrayList<>());
        sessions.resolve(0, 0, true, 0).session().update(List.of(row(A, 1)), List.of(), new ArrayList<>());
        assertThat(sessions.partitions()).isEqualTo(3);
    }

    @Test
    void oneAsksToBeToldOnceUnlessItWasNotTaken() {
        FetchSession session = new FetchSession(5, false, 0);
        session.update(List.of(row(A, 1)), List.of(), new ArrayList<>());
        FetchSession.Partition partition = session.partition(A);
        assertThat(partition.takeWatch()).isTrue();
        assertThat(partition.takeWatch()).isFalse();
        partition.notWatched();
        assertThat(partition.takeWatch()).isTrue();
        assertThat(session.partitions()).containsExactly(partition);
    }
}
