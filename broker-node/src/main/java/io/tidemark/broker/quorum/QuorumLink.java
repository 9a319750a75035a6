package io.tidemark.broker.quorum;

import io.tidemark.broker.runtime.QuorumMembership;
import io.tidemark.broker.runtime.QuorumPort;
import io.tidemark.model.MonoTime;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumQuery.Heartbeat;
import io.tidemark.model.metadata.QuorumQuery.HeartbeatAnswer;
import io.tidemark.model.metadata.QuorumQuery.MembersAnswer;
import io.tidemark.model.metadata.QuorumReply;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * All that passes between a broker and the quorum. Commands, heartbeats and the feed have connections of their own:
 * none waits behind another.
 */
public final class QuorumLink implements QuorumPort, QuorumMembership, AutoCloseable {
    private final LinkSettings settings;
    private final LeaderGuess leader;
    private final CommandSender commands;
    private RecordFollower follower;
    private HeartbeatSender heartbeats;
    /** Made with the first question: hardly anybody asks. */
    private MembersReader members;

    private boolean closed;

    public QuorumLink(LinkSettings settings) {
        this.settings = settings;
        this.leader = new LeaderGuess(settings.voters());
        this.commands = new CommandSender(settings, leader);
    }

    @Override
    public CompletionStage<QuorumReply.Answer> submit(QuorumCommand command) {
        return commands.submit(command, false);
    }

    @Override
    public CompletionStage<QuorumReply.Answer> attempt(QuorumCommand command) {
        return commands.submit(command, true);
    }

    @Override
    public synchronized CompletionStage<MembersAnswer> members() {
        if (closed) {
            return CompletableFuture.failedFuture(new IllegalStateException("the link is closed"));
        }
        if (members == null) {
            members = new MembersReader(settings);
        }
        return members.read();
    }

    /** Follows the metadata log from the beginning, until closed. Once only. */
    public synchronized void follow(MetadataListener listener) {
        if (!closed) {
            if (follower != null) {
                throw new IllegalStateException("the metadata is followed already");
            }
            follower = new RecordFollower(settings, leader, listener);
        }
    }

    /**
     * Sends heartbeats at the interval, the first at once, until closed. Once only.
     *
     * @param source what to say each time; null to stay silent. Called on the heartbeats' thread, must not block
     * @param listener gets the answers on that thread, each with the moment at which its heartbeat was sent; must not
     *     block
     */
    public synchronized void heartbeats(Supplier<Heartbeat> source, BiConsumer<HeartbeatAnswer, MonoTime> listener) {
        if (!closed) {
            if (heartbeats != null) {
                throw new IllegalStateException("heartbeats are sent already");
            }
            heartbeats = new HeartbeatSender(settings, leader, source, listener);
        }
    }

    /** Sends a heartbeat out of turn: just registered, or a shutdown begins. */
    public synchronized void heartbeatNow() {
        if (heartbeats != null) {
            heartbeats.now();
        }
    }

    /** Ends everything; commands without an answer fail as of unknown outcome. */
    @Override
    public synchronized void close() {
        closed = true;
        if (heartbeats != null) {
            heartbeats.close();
        }
        if (follower != null) {
            follower.close();
        }
        if (members != null) {
            members.close();
        }
        commands.close();
    }
}
