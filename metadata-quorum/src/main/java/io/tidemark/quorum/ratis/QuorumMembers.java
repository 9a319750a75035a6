package io.tidemark.quorum.ratis;

import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumQuery.Member;
import io.tidemark.model.metadata.QuorumQuery.MembersAnswer;
import io.tidemark.model.metadata.QuorumQuery.QuorumIdentity;
import io.tidemark.model.metadata.QuorumQuery.Recovery;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;

/**
 * Who follows the metadata log and how far: the controllers by what Ratis tells its leader, looked at again and again,
 * the brokers by their heartbeats. Says something only while this controller leads, but for the identity.
 */
final class QuorumMembers {
    private final Supplier<RaftServer.Division> division;
    private final NodeClock clock;
    private final Supplier<Recovery> recovery;
    private final MemberProgress voters = new MemberProgress();
    private final MemberProgress brokers = new MemberProgress();

    /** Every poll asks: made anew only when the members are. */
    private record Identified(RaftConfiguration members, QuorumIdentity identity) {}

    private volatile Identified identified = new Identified(null, null);

    QuorumMembers(Supplier<RaftServer.Division> division, NodeClock clock, Supplier<Recovery> recovery) {
        this.division = division;
        this.clock = clock;
        this.recovery = recovery;
    }

    /**
     * A broker's heartbeat says which entry it has applied. Entries of Ratis' own do not reach brokers: one that has the
     * last of ours has all.
     */
    void heartbeat(long term, int brokerId, long metadataIndex, AppliedState here) {
        long end = here.index();
        brokers.seen(
                term,
                brokerId,
                metadataIndex >= here.image().index() ? end : metadataIndex,
                end,
                clock.wall().ms());
    }

    /** A look at the controllers; often enough, so that it is known when each was caught up. */
    void look() {
        RaftServer.Division current = division.get();
        DivisionInfo info = current.getInfo();
        long term = info.getCurrentTerm();
        long end = endOf(current);
        long now = clock.wall().ms();
        voters.seen(term, idOf(current.getId().toString()), end, end, now);
        List<ServerRpcProto> followers = info.getRoleInfoProto().getLeaderInfo().getFollowerInfoList();
        long[] matched = info.getFollowerMatchIndices();
        if (matched == null || matched.length != followers.size()) {
            // The leadership ended, or members changed between the two looks: the next one shows it.
            return;
        }
        // Ratis lists both in the order of its senders.
        for (int i = 0; i < matched.length; i++) {
            ServerRpcProto follower = followers.get(i);
            int id = idOf(follower.getId().getId().toStringUtf8());
            voters.seen(term, id, matched[i], end, now - follower.getLastRpcElapsedTimeMs());
        }
    }

    MembersAnswer answer(ClusterImage image) {
        look();
        RaftServer.Division current = division.get();
        long term = current.getInfo().getCurrentTerm();
        RaftConfiguration conf = current.getRaftConf();
        List<Member> controllers = Stream.concat(conf.getCurrentPeers().stream(), conf.getPreviousPeers().stream())
                .distinct()
                .sorted(Comparator.comparing(
                        (RaftPeer peer) -> idOf(peer.getId().toString())))
                .map(peer -> voters.member(term, idOf(peer.getId().toString()), peer.getAddress()))
                .toList();
        List<Member> followers = new ArrayList<>();
        image.brokers().keySet().stream()
                .filter(id -> brokers.knows(term, id))
                .sorted()
                .forEach(id -> followers.add(brokers.member(term, id, "")));
        return new MembersAnswer(
                idOf(current.getId().toString()),
                term,
                current.getRaftLog().getLastCommittedIndex(),
                endOf(current),
                controllers,
                !conf.getPreviousPeers().isEmpty(),
                followers,
                recovery.get());
    }

    /** What the quorum is; during a change of members the present and the coming ones. */
    QuorumIdentity identity() {
        RaftConfiguration members = division.get().getRaftConf();
        Identified known = identified;
        if (known.members != members) {
            List<String> all = Stream.concat(members.getCurrentPeers().stream(), members.getPreviousPeers().stream())
                    .distinct()
                    .map(peer -> peer.getId() + "@" + peer.getAddress())
                    .sorted()
                    .toList();
            known = new Identified(members, new QuorumIdentity(all, recovery.get()));
            identified = known;
        }
        return known.identity;
    }

    private static long endOf(RaftServer.Division division) {
        TermIndex last = division.getRaftLog().getLastEntryTermIndex();
        return last == null ? -1 : last.getIndex();
    }

    private static int idOf(String peerId) {
        return Integer.parseInt(peerId);
    }
}
