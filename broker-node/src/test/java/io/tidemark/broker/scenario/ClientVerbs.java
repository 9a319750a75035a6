package io.tidemark.broker.scenario;

import io.tidemark.broker.replica.Effect;
import io.tidemark.broker.replica.ReplicaError;
import io.tidemark.broker.replica.ReplicaEvent;
import java.util.List;
import java.util.Locale;

/** What producers, consumers and other clients ask of a broker. */
final class ClientVerbs {
    private final Cluster cluster;

    ClientVerbs(Cluster cluster) {
        this.cluster = cluster;
    }

    private Copy copy(Command command) {
        return cluster.process(command.broker(0)).copy(command.integer("p", 0));
    }

    void produce(Command command) {
        String acks = command.requiredWord("acks", "all", "1", "0");
        List<String> values = command.arguments().size() > 1
                ? command.arguments().subList(1, command.arguments().size())
                : null;
        int count = values == null ? command.integer("batch", 1) : values.size();
        RecordText.Sequenced by = command.has("pid")
                ? new RecordText.Sequenced(
                        command.number("pid", 0), (short) command.integer("epoch", 0), command.integer("seq", 0))
                : null;
        long token = cluster.newToken();
        String name = cluster.newName('p');
        cluster.awaits(token, name);
        copy(command)
                .produce(
                        token,
                        (short) (acks.equals("all") ? -1 : Integer.parseInt(acks)),
                        cluster.now() + command.number("timeout", 120_000),
                        new Copy.Payload(count, values, by));
        sayIfWaiting(token, name);
    }

    private void sayIfWaiting(long token, String name) {
        if (cluster.waits(token)) {
            cluster.out().say("%s waits", name);
        }
    }

    /** Of single answers and moves of the mark only the last move is said. */
    void append(Command command) {
        Copy leader = copy(command);
        long from = leader.log().stagedEndOffset();
        int count = Math.toIntExact(command.number("count", 1));
        List<String> said = cluster.out().during(() -> {
            for (int i = 0; i < count; i++) {
                long token = cluster.newToken();
                cluster.awaits(token, "append");
                leader.produce(token, (short) 1, Long.MAX_VALUE, new Copy.Payload(1, null, null));
            }
        });
        if (said.stream().anyMatch(line -> line.startsWith("append: ") && !line.startsWith("append: NONE"))) {
            throw new ScenarioException("not accepted: " + said);
        }
        said.removeIf(line -> line.startsWith("append: "));
        String last = null;
        for (String line : List.copyOf(said)) {
            if (line.contains(": HW ")) {
                last = line;
                said.remove(line);
            }
        }
        cluster.out().say("append %d: %d..%d", command.broker(0), from, from + count - 1);
        cluster.out().sayAll(said);
        if (last != null) {
            cluster.out().say("%s", last);
        }
    }

    void consume(Command command) {
        Copy leader = copy(command);
        long token = cluster.newToken();
        command.required("from");
        long from = command.number("from", 0);
        Effect read = leader.ask(
                token,
                new ReplicaEvent.ConsumerFetch(
                        token, command.integer("epoch", -1), from, command.integer("after", -1), false));
        String answer;
        if (read instanceof Effect.ReadAllowed allowed) {
            answer = RecordText.of(leader.read(from, allowed.limit(), Integer.MAX_VALUE)) + " HW="
                    + allowed.highWatermark();
        } else if (read instanceof Effect.ReadDiverges diverges) {
            answer = "diverges " + diverges.epoch() + ":" + diverges.endOffset();
        } else {
            answer = ((Effect.ReadRefused) read).error().name();
        }
        cluster.out().say("consume %d from %d = %s", command.broker(0), from, answer);
    }

    void offset(Command command) {
        long token = cluster.newToken();
        ReplicaEvent.OffsetQuery.Bound bound = ReplicaEvent.OffsetQuery.Bound.valueOf(
                command.word(1, "latest", "earliest").toUpperCase(Locale.ROOT));
        Effect.OffsetFound found = (Effect.OffsetFound)
                copy(command).ask(token, new ReplicaEvent.OffsetQuery(token, -1, bound, !command.says(2, "follower")));
        cluster.out()
                .say(
                        "offset %d %s = %s",
                        command.broker(0),
                        command.argument(1),
                        found.error() == ReplicaError.NONE
                                ? found.offset() + "@" + found.leaderEpoch()
                                : found.error());
    }

    void epochEnd(Command command) {
        long token = cluster.newToken();
        command.required("of");
        Effect.EpochFound found = (Effect.EpochFound) copy(command)
                .ask(token, new ReplicaEvent.EpochQuery(token, command.integer("le", -1), command.integer("of", -1)));
        cluster.out()
                .say(
                        "epoch-end %d of %s = %s",
                        command.broker(0),
                        command.required("of"),
                        found.error() == ReplicaError.NONE ? found.epoch() + ":" + found.endOffset() : found.error());
    }

    void deleteRecords(Command command) {
        long token = cluster.newToken();
        String name = cluster.newName('d');
        command.required("upto");
        cluster.awaits(token, name);
        copy(command)
                .step(new ReplicaEvent.RecordsGivenUp(
                        token, command.number("upto", -1), cluster.now() + command.number("timeout", 10_000)));
        sayIfWaiting(token, name);
    }
}
