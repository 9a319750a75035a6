package io.tidemark.quorum.ratis;

import io.tidemark.model.codec.CommandCodec;
import io.tidemark.model.codec.RecordCodec;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.QuorumReply;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.util.LifeCycle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replica of the metadata log.
 *
 * <pre>
 * startTransaction   any thread     parse the command; refuse what needs no state (no entry)
 * preAppend          leader, serial decide on the pending image; the entry holds what was decided
 * apply              serial         fold the entry's bytes: void unless it was decided on the image's tip
 * query, queryStale  any thread     see {@link QueryAnswers}
 * </pre>
 *
 * Whatever fails to apply stops the node: a replica that skipped an entry would diverge from the others.
 */
final class MetadataStateMachine extends BaseStateMachine {
    private static final Logger LOG = LoggerFactory.getLogger(MetadataStateMachine.class);

    private static final QuorumReply VOID = new QuorumReply.Refused(
            ErrorCode.VOID_ENTRY, "decided on a state that did not come to be; nothing was changed, ask again");

    private final int nodeId;
    private final DecisionMaker decisions;
    private final NodeClock clock;
    private final FatalHandler fatal;
    private final Proposals proposals;
    private final SnapshotStore snapshots = new SnapshotStore();
    private final RecordFeed feed;
    private final AtomicLong voidEntries = new AtomicLong();
    private final AtomicLong appliedBytes = new AtomicLong();
    private final ControllerCounts counts;

    private volatile AppliedState applied = AppliedState.NOTHING;
    private volatile long lastEntryMs;
    private final HistoryReads historyReads;
    private final HistoryKeeper historyKeeper;
    private final QuorumMembers members;
    private final Membership membership;
    private final QueryAnswers answers;
    /** The last one of this quorum; a controller that joins is told by the others. */
    private volatile QuorumQuery.Recovery recovery = QuorumQuery.Recovery.NONE;

    MetadataStateMachine(
            int nodeId,
            DecisionMaker decisions,
            NodeClock clock,
            RandomGenerator random,
            FatalHandler fatal,
            Path directory,
            HistoryKeeper historyKeeper) {
        this.nodeId = nodeId;
        this.decisions = decisions;
        this.clock = clock;
        this.fatal = fatal;
        this.lastEntryMs = clock.mono().ms();
        this.counts = new ControllerCounts(clock.wall().ms());
        this.historyKeeper = historyKeeper;
        this.membership = new Membership(this::division, fatal);
        this.members = new QuorumMembers(this::division, clock, () -> recovery);
        LogHistory history = new LogHistory(this::raftLog, this::applied, this::leaderId);
        String name = "controller-" + nodeId;
        this.feed = new RecordFeed(name, history, this::leaderId, members::identity, clock, random);
        this.historyReads = new HistoryReads(name, directory, () -> raftLog().getLastCommittedIndex());
        this.proposals = new Proposals(nodeId, decisions, clock, random, this::term, () -> applied.image());
        this.answers = new QueryAnswers(
                decisions, clock, this::term, this::applied, this::status, feed, historyReads, members);
    }

    /** What this replica has applied. */
    AppliedState applied() {
        return applied;
    }

    SnapshotStore snapshots() {
        return snapshots;
    }

    PendingImage pending() {
        return proposals.pending();
    }

    QueryAnswers answers() {
        return answers;
    }

    Membership membership() {
        return membership;
    }

    /** Entries that took no effect since the start of this process; outside of fault tests each is a bug. */
    long voidEntries() {
        return voidEntries.get();
    }

    ControllerCounts counts() {
        return counts;
    }

    /** Bytes of entries applied since the start of this process. */
    long appliedBytes() {
        return appliedBytes.get();
    }

    /** When the last entry of ours was applied, on the monotonic clock. */
    long lastEntryMs() {
        return lastEntryMs;
    }

    /** Set before the server starts. */
    void recovery(QuorumQuery.Recovery last) {
        recovery = last;
    }

    // --- life

    @Override
    public void initialize(RaftServer server, RaftGroupId groupId, RaftStorage storage) throws IOException {
        super.initialize(server, groupId, storage);
        getLifeCycle().transition(LifeCycle.State.STARTING);
        snapshots.init(storage);
        restore();
        getLifeCycle().transition(LifeCycle.State.RUNNING);
    }

    /** Called before an installed snapshot takes the place of ours; the updater insists on the state. */
    @Override
    public void pause() {
        if (getLifeCycleState() == LifeCycle.State.RUNNING) {
            getLifeCycle().transition(LifeCycle.State.PAUSING);
            getLifeCycle().transition(LifeCycle.State.PAUSED);
            keepLog();
        }
    }

    /** The whole log is about to be replaced by the snapshot. */
    private void keepLog() {
        long index = applied.index();
        try {
            historyKeeper.keepAll(index);
        } catch (IOException | RuntimeException e) {
            LOG.warn("the history of the metadata could not be kept up to index {}", index, e);
        }
    }

    @Override
    public void reinitialize() throws IOException {
        snapshots.rescan();
        restore();
        if (getLifeCycleState() == LifeCycle.State.PAUSED) {
            getLifeCycle().transition(LifeCycle.State.STARTING);
            getLifeCycle().transition(LifeCycle.State.RUNNING);
        }
    }

    private void restore() throws IOException {
        AppliedState loaded = snapshots.load();
        if (loaded != null) {
            applied = loaded;
            setLastAppliedTermIndex(TermIndex.valueOf(loaded.term(), loaded.index()));
            LOG.info("metadata restored from the snapshot at index {}", loaded.index());
        }
        feed.reset(applied.image().index());
    }

    @Override
    public StateMachineStorage getStateMachineStorage() {
        return snapshots;
    }

    /** Adopts what the own scheduler has written; on the applying thread, so it writes nothing itself. */
    @Override
    public long takeSnapshot() {
        return snapshots.adoptWritten();
    }

    @Override
    public void close() {
        historyReads.close();
        feed.close();
    }

    // --- deciding (leader)

    @Override
    public TransactionContext startTransaction(RaftClientRequest request) {
        TransactionContext transaction = TransactionContext.newBuilder()
                .setStateMachine(this)
                .setClientRequest(request)
                .build();
        proposals.parse(request.getMessage().getContent().toByteArray(), transaction);
        return transaction;
    }

    @Override
    public TransactionContext preAppendTransaction(TransactionContext transaction) {
        counts.decides();
        return proposals.decide(transaction);
    }

    // --- applying

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        LogEntryProto logEntry = transaction.getLogEntry();
        long index = logEntry.getIndex();
        try {
            // On the leader the transaction's own log entry holds the command: what was appended is beside it.
            boolean decidedHere = transaction.getStateMachineContext() instanceof byte[];
            byte[] bytes = decidedHere
                    ? (byte[]) transaction.getStateMachineContext()
                    : logEntry.getStateMachineLogEntry().getLogData().toByteArray();
            return CompletableFuture.completedFuture(
                    QueryAnswers.message(CommandCodec.encode(fold(logEntry.getTerm(), index, bytes, decidedHere))));
        } catch (RuntimeException | Error e) {
            fatal.fatal("the metadata entry at index " + index + " cannot be applied", e);
            throw e;
        }
    }

    private QuorumReply.Answer fold(long term, long index, byte[] bytes, boolean decidedHere) {
        MetadataEntry entry = RecordCodec.decode(bytes);
        ClusterImage before = applied.image();
        boolean effective = before.chains(entry);
        applied = new AppliedState(before.apply(index, entry), term, index);
        updateLastAppliedTermIndex(term, index);
        if (!effective) {
            proposals.pending().voided(index);
            LOG.warn("the entry at index {} is void: decided on {}, met {}", index, entry.basedOn(), before.tip());
            voidEntries.incrementAndGet();
        } else {
            counts.applies(before, entry);
            if (decidedHere && !entry.records().isEmpty()) {
                LOG.info("[{}] {}", index, told(entry));
            }
        }
        appliedBytes.addAndGet(bytes.length);
        lastEntryMs = clock.mono().ms();
        feed.applied(index, bytes, effective && Urgency.isUrgent(entry));
        return new QuorumReply.Answer(index, effective ? entry.reply() : VOID);
    }

    private static String told(MetadataEntry entry) {
        MetadataEntry.Cause cause = entry.cause();
        return cause.kind() + (cause.brokerId() < 0 ? "" : " by broker " + cause.brokerId())
                + (cause.client().isEmpty() ? "" : " for client " + cause.client())
                + (cause.reason().isEmpty() ? "" : ": " + cause.reason()) + " ("
                + entry.records().size() + " records)";
    }

    /** An entry of Ratis' own was applied: the position moves, the image and its tip do not. */
    @Override
    public void notifyTermIndexUpdated(long term, long index) {
        applied = new AppliedState(applied.image(), term, index);
        super.notifyTermIndexUpdated(term, index);
    }

    // --- reading

    /** Reads on the ready leader. */
    @Override
    public CompletableFuture<Message> query(Message request) {
        return answers.answer(request, true);
    }

    /** Reads on any replica. */
    @Override
    public CompletableFuture<Message> queryStale(Message request, long minIndex) {
        return answers.answer(request, false);
    }

    /** Answers that are read in parts. */
    LargeAnswers large() {
        return feed.large();
    }

    /** Who follows the log; for the acting controller. */
    QuorumMembers members() {
        return members;
    }

    /** How this replica stands. */
    QuorumQuery.StatusAnswer status() {
        AppliedState state = applied;
        return new QuorumQuery.StatusAnswer(
                nodeId,
                leaderId(),
                term(),
                raftLog().getLastCommittedIndex(),
                state.index(),
                voidEntries.get(),
                state.image().digest(),
                state.image(),
                leaderId() == nodeId ? decisions.fastPathOff() : Map.of());
    }

    // --- the division around it

    /** The acting controller as far as this one knows, or -1. */
    int leaderId() {
        RaftPeerId leader = info().getLeaderId();
        return leader == null ? -1 : Integer.parseInt(leader.toString());
    }

    private long term() {
        return info().getCurrentTerm();
    }

    private DivisionInfo info() {
        return division().getInfo();
    }

    private RaftLog raftLog() {
        return division().getRaftLog();
    }

    private RaftServer.Division division() {
        try {
            return getServer().join().getDivision(getGroupId());
        } catch (IOException e) {
            throw new IllegalStateException("the division is closed", e);
        }
    }

    @Override
    public void notifyLeaderChanged(RaftGroupMemberId member, RaftPeerId leader) {
        LOG.info("the acting controller is {}", leader == null ? "not known" : leader);
        if (leader != null) {
            counts.newLeader(info().getCurrentTerm());
        }
    }

    @Override
    public void notifyLogFailed(Throwable cause, LogEntryProto failedEntry) {
        fatal.fatal("the metadata log cannot be written", cause);
    }

    @Override
    public void notifyServerShutdown(RoleInfoProto role, boolean allServer) {
        membership.divisionClosed();
    }
}
