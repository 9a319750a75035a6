package io.tidemark.quorum.ratis;

import io.tidemark.model.WallTime;
import io.tidemark.model.codec.CommandCodec;
import io.tidemark.model.codec.QueryCodec;
import io.tidemark.model.codec.RecordCodec;
import io.tidemark.model.codec.RefusalText;
import io.tidemark.model.codec.UnreadableException;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.MetadataEntry;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.QuorumReply;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
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
 * query, queryStale  any thread     heartbeats (leader only), polls, status
 * </pre>
 *
 * Whatever fails to apply stops the node: a replica that skipped an entry would diverge from the others.
 */
final class MetadataStateMachine extends BaseStateMachine {
    /** Bound of one encoded entry, bytes; half of what the log takes. */
    static final int MAX_ENTRY_BYTES = 4 * 1024 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(MetadataStateMachine.class);

    private static final QuorumReply VOID = new QuorumReply.Refused(
            ErrorCode.VOID_ENTRY, "decided on a state that did not come to be; nothing was changed, ask again");

    private static final String REMOVED = "it was removed from the quorum";

    private final int nodeId;
    private final DecisionMaker decisions;
    private final NodeClock clock;
    private final RandomGenerator random;
    private final FatalHandler fatal;
    private final PendingImage pending = new PendingImage();
    private final SnapshotStore snapshots = new SnapshotStore();
    private final RecordFeed feed;
    private final AtomicLong voidEntries = new AtomicLong();
    private final AtomicLong appliedBytes = new AtomicLong();
    private final ControllerCounts counts;

    private volatile AppliedState applied = AppliedState.NOTHING;
    private volatile long lastEntryMs;
    private volatile boolean closing;
    private final HistoryReads historyReads;
    private final QuorumMembers members;
    private final HistoryKeeper historyKeeper;

    /** Every poll asks: made anew only when the members are. */
    private record Identified(RaftConfiguration members, QuorumQuery.QuorumIdentity identity) {}

    private volatile Identified identified = new Identified(null, null);
    private volatile boolean member;
    private final AtomicBoolean ended = new AtomicBoolean();
    /** The last one of this quorum; a controller that joins is told by the others. */
    private volatile QuorumQuery.Recovery recovery = QuorumQuery.Recovery.NONE;

    private volatile BooleanSupplier removed = () -> false;

    /** Takes commands that heartbeats led to; set before the server starts. */
    private volatile Consumer<QuorumCommand> submitter = command -> {};

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
        this.random = random;
        this.fatal = fatal;
        this.lastEntryMs = clock.mono().ms();
        this.counts = new ControllerCounts(clock.wall().ms());
        LogHistory history = new LogHistory(this::raftLog, this::applied, this::leaderId);
        this.feed = new RecordFeed("controller-" + nodeId, history, this::leaderId, this::identity, clock, random);
        this.members = new QuorumMembers(this::division, clock, () -> recovery);
        this.historyKeeper = historyKeeper;
        this.historyReads = new HistoryReads(
                "controller-" + nodeId, directory, () -> raftLog().getLastCommittedIndex());
    }

    /** What this replica has applied. */
    AppliedState applied() {
        return applied;
    }

    SnapshotStore snapshots() {
        return snapshots;
    }

    PendingImage pending() {
        return pending;
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

    /** Finds out whether this controller is no member any more; set before the server starts. */
    void removedIf(BooleanSupplier question) {
        removed = question;
    }

    void submitTo(Consumer<QuorumCommand> consumer) {
        submitter = consumer;
    }

    /** From here on the server may shut down without that being a failure. */
    void expectShutdown() {
        closing = true;
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
        QuorumReply refusal;
        try {
            QuorumCommand command =
                    CommandCodec.decodeCommand(request.getMessage().getContent().toByteArray());
            refusal = decisions.refuse(command);
            transaction.setStateMachineContext(command);
        } catch (RuntimeException e) {
            refusal = new QuorumReply.Refused(ErrorCode.INVALID_REQUEST, String.valueOf(e.getMessage()));
        }
        if (refusal != null) {
            // The only way to answer without an entry; the caller finds the reply in the message.
            IOException carrier = new IOException(RefusalText.of(refusal));
            carrier.setStackTrace(new StackTraceElement[0]);
            transaction.setException(carrier);
        }
        return transaction;
    }

    /**
     * Decides. Never throws: an exception here would end the leadership or leak a permit of Ratis. Serial, in the order
     * of the log, under its lock.
     */
    @Override
    public TransactionContext preAppendTransaction(TransactionContext transaction) {
        QuorumCommand command = (QuorumCommand) transaction.getStateMachineContext();
        counts.decides();
        long basedOn = -1;
        MetadataEntry entry;
        byte[] bytes;
        try {
            long now = clock.wall().ms();
            ClusterImage image = pending.forTerm(info().getCurrentTerm(), () -> applied.image());
            basedOn = image.tip();
            entry = decide(image, command, now);
            bytes = RecordCodec.encode(entry);
            if (bytes.length > MAX_ENTRY_BYTES) {
                String message = "the request leads to " + bytes.length + " bytes of records, more than one entry's "
                        + MAX_ENTRY_BYTES + "; ask for less at once";
                LOG.warn("{} refused: {}", entry.cause().kind(), message);
                entry = refusal(basedOn, entry.timestampMs(), entry.cause(), ErrorCode.INVALID_REQUEST, message);
                bytes = RecordCodec.encode(entry);
            }
        } catch (Throwable e) {
            LOG.error("a decision failed: {}", command, e);
            MetadataEntry.Cause cause = new MetadataEntry.Cause(
                    command.getClass().getSimpleName(), -1, -1, "", "the decision failed", nodeId);
            entry = refusal(basedOn, 0, cause, ErrorCode.UNKNOWN_SERVER_ERROR, "the decision failed: " + e);
            bytes = RecordCodec.encode(entry);
        }
        transaction.setStateMachineContext(bytes);
        MetadataEntry decided = entry;
        return new DecidedTransaction(transaction, bytes, index -> {
            try {
                pending.appended(index, decided);
            } catch (RuntimeException e) {
                // The applying thread will meet the same and stop the node.
                LOG.error("an entry cannot be folded into the pending image", e);
            }
        });
    }

    private MetadataEntry decide(ClusterImage image, QuorumCommand command, long nowMs) {
        DecisionMaker.Decided decided = decisions.decide(
                info().getCurrentTerm(),
                image,
                applied.image(),
                command,
                new WallTime(nowMs),
                clock.mono(),
                random.nextLong());
        long timestampMs = Math.max(image.timestampMs(), nowMs);
        return new MetadataEntry(
                image.tip(), timestampMs, decided.cause().by(nodeId), decided.records(), decided.reply());
    }

    private static MetadataEntry refusal(
            long basedOn, long timestampMs, MetadataEntry.Cause cause, ErrorCode error, String message) {
        return new MetadataEntry(basedOn, timestampMs, cause, List.of(), new QuorumReply.Refused(error, message));
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
                    message(CommandCodec.encode(fold(logEntry.getTerm(), index, bytes, decidedHere))));
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
            pending.voided(index);
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
        return answer(request, true);
    }

    /** Reads on any replica. */
    @Override
    public CompletableFuture<Message> queryStale(Message request, long minIndex) {
        return answer(request, false);
    }

    /** Errors are answered in words: an exception would break the caller's stream with all its other requests. */
    private CompletableFuture<Message> answer(Message request, boolean leading) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        try {
            QuorumQuery query = QueryCodec.decodeQuery(request.getContent().toByteArray());
            if (query instanceof QuorumQuery.Poll poll) {
                answer = feed.poll(poll);
            } else if (query instanceof QuorumQuery.ReadHistory read) {
                historyReads.read(read, answer);
            } else if (query instanceof QuorumQuery.ReadKeyframe read) {
                historyReads.read(read, answer);
            } else if (query instanceof QuorumQuery.ReadPart read) {
                return CompletableFuture.completedFuture(message(large().part(read)));
            } else if (query instanceof QuorumQuery.Status) {
                feed.offload(answer, () -> QueryCodec.encode(status()));
            } else if (!leading) {
                answer.complete(QueryCodec.encodeFailure("heartbeats and members are for the acting controller"));
            } else if (query instanceof QuorumQuery.Members) {
                answer.complete(QueryCodec.encode(members.answer(applied.image())));
            } else {
                answer.complete(QueryCodec.encode(heartbeat((QuorumQuery.Heartbeat) query)));
            }
        } catch (UnreadableException e) {
            answer.complete(QueryCodec.encodeFailure(e.getMessage()));
        } catch (RuntimeException e) {
            LOG.error("a query failed", e);
            answer.complete(QueryCodec.encodeFailure(e.toString()));
        }
        return answer.thenApply(large()::sent).thenApply(MetadataStateMachine::message);
    }

    /** Answers that are read in parts. */
    LargeAnswers large() {
        return feed.large();
    }

    private QuorumQuery.HeartbeatAnswer heartbeat(QuorumQuery.Heartbeat heartbeat) {
        long term = info().getCurrentTerm();
        ClusterImage image = applied.image();
        DecisionMaker.Beat beat = decisions.heartbeat(term, image, heartbeat, clock.mono());
        if (beat.error() == ErrorCode.NONE) {
            members.heartbeat(term, heartbeat.brokerId(), heartbeat.metadataIndex(), applied);
        }
        if (beat.toSubmit() != null) {
            submitter.accept(beat.toSubmit());
        }
        return new QuorumQuery.HeartbeatAnswer(
                beat.error(), term, beat.caughtUp(), beat.fenced(), beat.shouldShutDown(), image.index());
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
                info().getCurrentTerm(),
                raftLog().getLastCommittedIndex(),
                state.index(),
                voidEntries.get(),
                state.image().digest(),
                state.image(),
                leaderId() == nodeId ? decisions.fastPathOff() : Map.of());
    }

    // --- the division around it

    /** What the quorum is; during a change of members the present and the coming ones. */
    private QuorumQuery.QuorumIdentity identity() {
        RaftConfiguration members = division().getRaftConf();
        Identified known = identified;
        if (known.members != members) {
            List<String> all = Stream.concat(members.getCurrentPeers().stream(), members.getPreviousPeers().stream())
                    .distinct()
                    .map(peer -> peer.getId() + "@" + peer.getAddress())
                    .sorted()
                    .toList();
            known = new Identified(members, new QuorumQuery.QuorumIdentity(all, recovery));
            identified = known;
        }
        return known.identity;
    }

    /** The acting controller as far as this one knows, or -1. */
    int leaderId() {
        RaftPeerId leader = info().getLeaderId();
        return leader == null ? -1 : Integer.parseInt(leader.toString());
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
            counts.newLeader();
        }
    }

    @Override
    public void notifyLogFailed(Throwable cause, LogEntryProto failedEntry) {
        fatal.fatal("the metadata log cannot be written", cause);
    }

    @Override
    public void notifyServerShutdown(RoleInfoProto role, boolean allServer) {
        divisionClosed();
    }

    /** The division closed; unless that was asked for, this node can no longer take part. May ask the others why. */
    void divisionClosed() {
        if (!closing && ended.compareAndSet(false, true)) {
            fatal.fatal(
                    removed.getAsBoolean() ? "it was removed from the quorum" : "the quorum's server closed by itself",
                    null);
        }
    }

    /** From here on this controller is a member, unless it was removed. */
    void expectMembership() {
        member = true;
    }

    /**
     * Whether the members as far as this controller has heard are without it. A removed one that is started again may know
     * that much by itself; it would wait for ever for somebody to take it in.
     */
    boolean leftOut() {
        return member
                && !closing
                && division().getRaftConf().getCurrentPeers().stream()
                        .noneMatch(peer -> peer.getId().equals(division().getId()));
    }

    /** Asks the others, and ends this node if they say so. */
    void endIfRemoved() {
        if (removed.getAsBoolean() && !closing && ended.compareAndSet(false, true)) {
            fatal.fatal(REMOVED, null);
        }
    }

    private static Message message(byte[] bytes) {
        return Message.valueOf(UnsafeByteOperations.unsafeWrap(bytes));
    }
}
