package io.tidemark.broker.scenario;

import io.tidemark.broker.replica.Effect;
import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.QuorumReply.AlteredPartitions.Result;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** AlterPartitions between leaders and controllers: each attempt has a name and moves when the script says so. */
final class Proposals {
    /** One attempt, with what the controller said of it last. */
    private static final class Attempt {
        final Copy sender;
        final Effect.SendAlter sent;
        final long brokerEpoch;
        QuorumReply.Answer answer;

        Attempt(Copy sender, Effect.SendAlter sent) {
            this.sender = sender;
            this.sent = sent;
            this.brokerEpoch = sender.process().brokerEpoch();
        }
    }

    private final Cluster cluster;
    private final Map<String, Attempt> attempts = new LinkedHashMap<>();

    Proposals(Cluster cluster) {
        this.cluster = cluster;
    }

    void sent(Copy sender, Effect.SendAlter alter) {
        String again = null;
        for (Map.Entry<String, Attempt> entry : attempts.entrySet()) {
            if (again == null
                    && entry.getValue().sender == sender
                    && entry.getValue().sent.equals(alter)) {
                again = entry.getKey();
            }
        }
        String name = "a" + (attempts.size() + 1);
        attempts.put(name, new Attempt(sender, alter));
        int partition = sender.replica().id().partition();
        cluster.out()
                .say(
                        "%d%s: sends %s: %s",
                        sender.process().id(),
                        partition == 0 ? "" : " p" + partition,
                        name,
                        again != null ? again + " again" : Words.of(alter.request()));
    }

    private Attempt attempt(String name) {
        Attempt attempt = attempts.get(name);
        if (attempt == null) {
            throw new ScenarioException("no proposal is called " + name + ", only " + attempts.keySet());
        }
        return attempt;
    }

    /** The controller decides, on the newest image or on that of an index. */
    void arrive(Command command) {
        Attempt attempt = attempt(command.argument(0));
        Quorum quorum = cluster.quorum();
        ClusterImage seen = command.has("at") ? quorum.image(command.number("at", 0)) : quorum.image();
        attempt.answer = quorum.decide(
                new QuorumCommand.AlterPartition(
                        attempt.sender.process().id(), attempt.brokerEpoch, List.of(attempt.sent.request())),
                cluster.now(),
                seen,
                quorum.nextIndex());
        ReplicaEvent.AlterAnswered said = event(attempt);
        cluster.out()
                .say(
                        "%s = %s%s",
                        command.argument(0),
                        said.error(),
                        said.error() == ErrorCode.NONE
                                ? " LE=" + said.leaderEpoch() + " PE=" + said.partitionEpoch() + " ISR="
                                        + Words.of(said.isr())
                                : "");
    }

    private static ReplicaEvent.AlterAnswered event(Attempt attempt) {
        long proposal = attempt.sent.proposal();
        QuorumReply.Answer answer = attempt.answer;
        if (answer.reply() instanceof QuorumReply.AlteredPartitions altered) {
            Result row = altered.results().get(0);
            return new ReplicaEvent.AlterAnswered(
                    proposal, row.error(), answer.index(), row.leaderEpoch(), row.partitionEpoch(), row.isr());
        }
        return new ReplicaEvent.AlterAnswered(proposal, answer.error(), answer.index(), -1, -1, List.of());
    }

    /** The leader hears what was decided, or what the script wants it to hear. */
    void answer(Command command) {
        Attempt attempt = attempt(command.argument(0));
        if (command.arguments().size() > 1) {
            attempt.sender.step(new ReplicaEvent.AlterAnswered(
                    attempt.sent.proposal(),
                    ErrorCode.valueOf(command.argument(1)),
                    command.number("at", cluster.quorum().image().index()),
                    command.integer("le", -1),
                    command.integer("pe", -1),
                    command.listOption("isr", List.of())));
            return;
        }
        if (attempt.answer == null) {
            throw new ScenarioException("the controller has said nothing of " + command.argument(0) + " yet");
        }
        attempt.sender.step(event(attempt));
    }

    void lose(Command command) {
        Attempt attempt = attempt(command.argument(0));
        attempt.sender.step(new ReplicaEvent.AlterUnknown(attempt.sent.proposal()));
    }
}
