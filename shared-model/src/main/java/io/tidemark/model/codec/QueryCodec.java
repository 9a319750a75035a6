package io.tidemark.model.codec;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.tidemark.model.codec.proto.DoneP;
import io.tidemark.model.codec.proto.HeartbeatAnswerP;
import io.tidemark.model.codec.proto.HeartbeatP;
import io.tidemark.model.codec.proto.HistoryAnswerP;
import io.tidemark.model.codec.proto.IndexedEntryP;
import io.tidemark.model.codec.proto.KeyframeRefP;
import io.tidemark.model.codec.proto.LargeAnswerP;
import io.tidemark.model.codec.proto.MemberP;
import io.tidemark.model.codec.proto.MembersAnswerP;
import io.tidemark.model.codec.proto.PollAnswerP;
import io.tidemark.model.codec.proto.PollP;
import io.tidemark.model.codec.proto.QuorumIdentityP;
import io.tidemark.model.codec.proto.QuorumQueryAnswerP;
import io.tidemark.model.codec.proto.QuorumQueryP;
import io.tidemark.model.codec.proto.ReadHistoryP;
import io.tidemark.model.codec.proto.ReadPartP;
import io.tidemark.model.codec.proto.RecoveryP;
import io.tidemark.model.codec.proto.StatusAnswerP;
import io.tidemark.model.codec.proto.StoredEntryP;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads of a controller and their answers, to and from bytes. */
public final class QueryCodec {
    /** Longer is no note: so what is sent often is not looked at twice. */
    private static final int MAX_NOTE_BYTES = 64;

    private QueryCodec() {}

    /** The controller had no answer, and why. */
    public static final class QueryFailedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public QueryFailedException(String message) {
            super(message);
        }
    }

    public static byte[] encode(QuorumQuery query) {
        QuorumQueryP.Builder builder = QuorumQueryP.newBuilder();
        if (query instanceof QuorumQuery.Heartbeat heartbeat) {
            builder.setHeartbeat(HeartbeatP.newBuilder()
                    .setBroker(heartbeat.brokerId())
                    .setEpoch(heartbeat.brokerEpoch())
                    .setMetadataIndex(heartbeat.metadataIndex())
                    .setWantFence(heartbeat.wantFence())
                    .setWantShutDown(heartbeat.wantShutDown()));
        } else if (query instanceof QuorumQuery.Poll poll) {
            builder.setPoll(PollP.newBuilder()
                    .setNextIndex(poll.nextIndex())
                    .setWaitMs(poll.waitMs())
                    .setMaxBytes(poll.maxBytes())
                    .setKnownQuorum(poll.knownQuorum()));
        } else if (query instanceof QuorumQuery.ReadHistory read) {
            builder.setReadHistory(
                    ReadHistoryP.newBuilder().setFromIndex(read.fromIndex()).setMaxBytes(read.maxBytes()));
        } else if (query instanceof QuorumQuery.ReadKeyframe read) {
            builder.setReadKeyframe(read.index());
        } else if (query instanceof QuorumQuery.ReadPart read) {
            builder.setReadPart(ReadPartP.newBuilder().setId(read.id()).setOffset(read.offset()));
        } else if (query instanceof QuorumQuery.Members) {
            builder.setMembers(DoneP.getDefaultInstance());
        } else {
            builder.setStatus(DoneP.getDefaultInstance());
        }
        return builder.build().toByteArray();
    }

    /** Throws {@link UnreadableException} for damage and for anything a newer version wrote. */
    public static QuorumQuery decodeQuery(byte[] bytes) {
        QuorumQueryP query = Protos.parse(QuorumQueryP.parser(), bytes, "a query");
        return switch (query.getKindCase()) {
            case HEARTBEAT ->
                new QuorumQuery.Heartbeat(
                        query.getHeartbeat().getBroker(),
                        query.getHeartbeat().getEpoch(),
                        query.getHeartbeat().getMetadataIndex(),
                        query.getHeartbeat().getWantFence(),
                        query.getHeartbeat().getWantShutDown());
            case POLL ->
                new QuorumQuery.Poll(
                        query.getPoll().getNextIndex(),
                        query.getPoll().getWaitMs(),
                        query.getPoll().getMaxBytes(),
                        query.getPoll().getKnownQuorum());
            case STATUS -> new QuorumQuery.Status();
            case READ_HISTORY ->
                new QuorumQuery.ReadHistory(
                        query.getReadHistory().getFromIndex(),
                        query.getReadHistory().getMaxBytes());
            case READ_KEYFRAME -> new QuorumQuery.ReadKeyframe(query.getReadKeyframe());
            case MEMBERS -> new QuorumQuery.Members();
            case READ_PART ->
                new QuorumQuery.ReadPart(
                        query.getReadPart().getId(), query.getReadPart().getOffset());
            case KIND_NOT_SET -> throw new UnreadableException("a query of a kind that this version does not know");
        };
    }

    public static byte[] encode(QuorumQuery.HeartbeatAnswer answer) {
        return QuorumQueryAnswerP.newBuilder()
                .setHeartbeat(HeartbeatAnswerP.newBuilder()
                        .setError(answer.error().code())
                        .setTerm(answer.term())
                        .setCaughtUp(answer.caughtUp())
                        .setFenced(answer.fenced())
                        .setShouldShutDown(answer.shouldShutDown())
                        .setMetadataIndex(answer.metadataIndex()))
                .build()
                .toByteArray();
    }

    public static byte[] encode(QuorumQuery.PollAnswer answer) {
        PollAnswerP.Builder poll =
                PollAnswerP.newBuilder().setNextIndex(answer.nextIndex()).setLeader(answer.leaderId());
        if (answer.quorum() != null) {
            poll.setQuorum(QuorumIdentityP.newBuilder()
                    .addAllMembers(answer.quorum().members())
                    .setRecovery(recovery(answer.quorum().recovery())));
        }
        if (answer.image() != null) {
            poll.setImage(SnapshotCodec.of(answer.image()));
        }
        for (QuorumQuery.IndexedEntry entry : answer.entries()) {
            ByteString bytes = UnsafeByteOperations.unsafeWrap(entry.bytes());
            poll.addEntries(IndexedEntryP.newBuilder().setIndex(entry.index()).setEntry(bytes));
        }
        return QuorumQueryAnswerP.newBuilder().setPoll(poll).build().toByteArray();
    }

    public static byte[] encode(QuorumQuery.StatusAnswer answer) {
        return QuorumQueryAnswerP.newBuilder()
                .setStatus(StatusAnswerP.newBuilder()
                        .setNode(answer.nodeId())
                        .setLeader(answer.leaderId())
                        .setTerm(answer.term())
                        .setCommitIndex(answer.commitIndex())
                        .setAppliedIndex(answer.appliedIndex())
                        .setVoidEntries(answer.voidEntries())
                        .setDigest(answer.digest())
                        .setImage(SnapshotCodec.of(answer.image()))
                        .putAllFastPathOff(answer.fastPathOff()))
                .build()
                .toByteArray();
    }

    public static byte[] encode(QuorumQuery.HistoryAnswer answer) {
        HistoryAnswerP.Builder history =
                HistoryAnswerP.newBuilder().setCommitted(answer.committed()).addAllFindings(answer.findings());
        for (QuorumQuery.StoredEntry entry : answer.entries()) {
            history.addEntries(StoredEntryP.newBuilder()
                    .setIndex(entry.index())
                    .setTerm(entry.term())
                    .setKind(entry.kind())
                    .setEntry(UnsafeByteOperations.unsafeWrap(entry.bytes()))
                    .setCommitIndex(entry.commitIndex()));
        }
        for (QuorumQuery.KeyframeRef keyframe : answer.keyframes()) {
            history.addKeyframes(
                    KeyframeRefP.newBuilder().setTerm(keyframe.term()).setIndex(keyframe.index()));
        }
        return QuorumQueryAnswerP.newBuilder().setHistory(history).build().toByteArray();
    }

    /** The answer to a {@link QuorumQuery.ReadKeyframe}. */
    public static byte[] encode(ClusterImage keyframe) {
        return QuorumQueryAnswerP.newBuilder()
                .setKeyframe(SnapshotCodec.of(keyframe))
                .build()
                .toByteArray();
    }

    public static byte[] encode(QuorumQuery.MembersAnswer answer) {
        MembersAnswerP.Builder members = MembersAnswerP.newBuilder()
                .setLeader(answer.leaderId())
                .setTerm(answer.term())
                .setCommitIndex(answer.commitIndex())
                .setEndIndex(answer.endIndex())
                .setChanging(answer.changing())
                .setRecovery(recovery(answer.recovery()));
        answer.voters().forEach(member -> members.addVoters(member(member)));
        answer.followers().forEach(member -> members.addFollowers(member(member)));
        return QuorumQueryAnswerP.newBuilder().setMembers(members).build().toByteArray();
    }

    private static RecoveryP recovery(QuorumQuery.Recovery recovery) {
        return RecoveryP.newBuilder()
                .setId(recovery.id())
                .setIndex(recovery.index())
                .addAllEarlier(recovery.earlier().stream()
                        .map(one -> RecoveryP.newBuilder()
                                .setId(one.id())
                                .setIndex(one.index())
                                .build())
                        .toList())
                .build();
    }

    private static QuorumQuery.Recovery recovery(RecoveryP recovery) {
        return new QuorumQuery.Recovery(
                recovery.getId(),
                recovery.getIndex(),
                recovery.getEarlierList().stream()
                        .map(one -> new QuorumQuery.Recovery.Past(one.getId(), one.getIndex()))
                        .toList());
    }

    private static MemberP member(QuorumQuery.Member member) {
        return MemberP.newBuilder()
                .setId(member.id())
                .setAddress(member.address())
                .setEndIndex(member.endIndex())
                .setSeenMs(member.seenMs())
                .setCaughtUpMs(member.caughtUpMs())
                .build();
    }

    private static List<QuorumQuery.Member> members(List<MemberP> members) {
        return members.stream()
                .map(member -> new QuorumQuery.Member(
                        member.getId(),
                        member.getAddress(),
                        member.getEndIndex(),
                        member.getSeenMs(),
                        member.getCaughtUpMs()))
                .toList();
    }

    /** Throws {@link QueryFailedException} with the controller's words if it had no answer. */
    public static QuorumQuery.MembersAnswer decodeMembers(byte[] bytes) {
        MembersAnswerP answer =
                answer(bytes, QuorumQueryAnswerP.KindCase.MEMBERS).getMembers();
        return new QuorumQuery.MembersAnswer(
                answer.getLeader(),
                answer.getTerm(),
                answer.getCommitIndex(),
                answer.getEndIndex(),
                members(answer.getVotersList()),
                answer.getChanging(),
                members(answer.getFollowersList()),
                recovery(answer.getRecovery()));
    }

    /** In place of an answer of so many bytes, which can be read in parts under that id. */
    public static byte[] encodeLarge(long id, byte[] answer) {
        return QuorumQueryAnswerP.newBuilder()
                .setLarge(LargeAnswerP.newBuilder()
                        .setId(id)
                        .setBytes(answer.length)
                        .setCrc32C(AnswerParts.checksum(answer)))
                .build()
                .toByteArray();
    }

    /** The answer to a {@link QuorumQuery.ReadPart}. */
    public static byte[] encodePart(byte[] answer, int from, int to) {
        return QuorumQueryAnswerP.newBuilder()
                .setPart(UnsafeByteOperations.unsafeWrap(answer, from, to - from))
                .build()
                .toByteArray();
    }

    static ByteString decodePart(byte[] bytes) {
        return answer(bytes, QuorumQueryAnswerP.KindCase.PART).getPart();
    }

    /** The note in place of an answer; null if those are the bytes of an answer. */
    static LargeAnswerP large(byte[] bytes) {
        if (bytes.length > MAX_NOTE_BYTES) {
            return null;
        }
        QuorumQueryAnswerP answer = Protos.parse(QuorumQueryAnswerP.parser(), bytes, "an answer to a query");
        return answer.hasLarge() ? answer.getLarge() : null;
    }

    public static byte[] encodeFailure(String why) {
        return QuorumQueryAnswerP.newBuilder().setFailure(why).build().toByteArray();
    }

    /** Throws {@link QueryFailedException} with the controller's words if it had no answer. */
    public static QuorumQuery.HeartbeatAnswer decodeHeartbeat(byte[] bytes) {
        HeartbeatAnswerP answer =
                answer(bytes, QuorumQueryAnswerP.KindCase.HEARTBEAT).getHeartbeat();
        return Protos.reading(
                "an answer to a heartbeat",
                () -> new QuorumQuery.HeartbeatAnswer(
                        ErrorCode.of(answer.getError()),
                        answer.getTerm(),
                        answer.getCaughtUp(),
                        answer.getFenced(),
                        answer.getShouldShutDown(),
                        answer.getMetadataIndex()));
    }

    /** Throws {@link QueryFailedException} with the controller's words if it had no answer. */
    public static QuorumQuery.PollAnswer decodePoll(byte[] bytes) {
        PollAnswerP answer = answer(bytes, QuorumQueryAnswerP.KindCase.POLL).getPoll();
        List<QuorumQuery.IndexedEntry> entries = new ArrayList<>(answer.getEntriesCount());
        answer.getEntriesList()
                .forEach(entry -> entries.add(new QuorumQuery.IndexedEntry(
                        entry.getIndex(), entry.getEntry().toByteArray())));
        return new QuorumQuery.PollAnswer(
                answer.hasImage() ? SnapshotCodec.image(answer.getImage()) : null,
                entries,
                answer.getNextIndex(),
                answer.getLeader(),
                answer.hasQuorum()
                        ? new QuorumQuery.QuorumIdentity(
                                List.copyOf(answer.getQuorum().getMembersList()),
                                recovery(answer.getQuorum().getRecovery()))
                        : null);
    }

    /** Throws {@link QueryFailedException} with the controller's words if it had no answer. */
    public static QuorumQuery.StatusAnswer decodeStatus(byte[] bytes) {
        StatusAnswerP answer = answer(bytes, QuorumQueryAnswerP.KindCase.STATUS).getStatus();
        return new QuorumQuery.StatusAnswer(
                answer.getNode(),
                answer.getLeader(),
                answer.getTerm(),
                answer.getCommitIndex(),
                answer.getAppliedIndex(),
                answer.getVoidEntries(),
                answer.getDigest(),
                SnapshotCodec.image(answer.getImage()),
                Map.copyOf(answer.getFastPathOffMap()));
    }

    /** Throws {@link QueryFailedException} with the controller's words if it had no answer. */
    public static QuorumQuery.HistoryAnswer decodeHistory(byte[] bytes) {
        HistoryAnswerP answer =
                answer(bytes, QuorumQueryAnswerP.KindCase.HISTORY).getHistory();
        List<QuorumQuery.StoredEntry> entries = new ArrayList<>(answer.getEntriesCount());
        answer.getEntriesList()
                .forEach(entry -> entries.add(new QuorumQuery.StoredEntry(
                        entry.getIndex(),
                        entry.getTerm(),
                        entry.getKind(),
                        entry.getEntry().toByteArray(),
                        entry.getCommitIndex())));
        List<QuorumQuery.KeyframeRef> keyframes = new ArrayList<>(answer.getKeyframesCount());
        answer.getKeyframesList()
                .forEach(keyframe ->
                        keyframes.add(new QuorumQuery.KeyframeRef(keyframe.getTerm(), keyframe.getIndex())));
        return new QuorumQuery.HistoryAnswer(
                entries, answer.getCommitted(), keyframes, List.copyOf(answer.getFindingsList()));
    }

    /** Throws {@link QueryFailedException} with the controller's words if it had no answer. */
    public static ClusterImage decodeKeyframe(byte[] bytes) {
        return SnapshotCodec.image(
                answer(bytes, QuorumQueryAnswerP.KindCase.KEYFRAME).getKeyframe());
    }

    private static QuorumQueryAnswerP answer(byte[] bytes, QuorumQueryAnswerP.KindCase expected) {
        QuorumQueryAnswerP answer = Protos.parse(QuorumQueryAnswerP.parser(), bytes, "an answer to a query");
        if (answer.getKindCase() == QuorumQueryAnswerP.KindCase.FAILURE) {
            throw new QueryFailedException(answer.getFailure());
        }
        if (answer.getKindCase() != expected) {
            throw new UnreadableException("expected " + expected + ", got " + answer.getKindCase());
        }
        return answer;
    }
}
