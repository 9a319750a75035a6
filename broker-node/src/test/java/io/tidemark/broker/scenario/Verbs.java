package io.tidemark.broker.scenario;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The verbs of scenarios, with what each takes; docs/SCENARIOS.md says what each does. */
final class Verbs {
    private static final int MANY = Integer.MAX_VALUE;

    private final Map<String, Verb> verbs = new TreeMap<>();

    Verbs(Cluster cluster) {
        setUpAndMetadata(new QuorumVerbs(cluster), cluster);
        replication(cluster, new Fetches(cluster));
        clients(new ClientVerbs(cluster));
        machines(new MachineVerbs(cluster));
    }

    private void setUpAndMetadata(QuorumVerbs quorum, Cluster cluster) {
        verb("cluster", 0, 0, quorum::cluster, "brokers", "lag", "lease", "fenced");
        verb(
                "topic",
                0,
                0,
                quorum::topic,
                "replicas",
                "min",
                "min-of-cluster",
                "partitions",
                "unclean",
                "strategy",
                "leader",
                "le",
                "pe",
                "isr",
                "elr",
                "lke",
                "floor",
                "recovering");
        verb("learn", 1, 2, quorum::learn, "upto");
        verb("fence", 1, 1, quorum::fence);
        verb("unfence", 1, 1, quorum::unfence);
        verb("register", 1, 1, quorum::register, "epoch");
        verb("shutdown", 1, 1, quorum::shutDown);
        verb("unregister", 1, 1, quorum::unregister);
        verb("config", 1, 1, quorum::config);
        verb("elect", 0, 1, quorum::elect, "p");
        verb("balance", 1, 1, quorum::balance);
        verb("reassign", 1, 1, quorum::reassign, "p");
        verb("metadata", 0, 0, quorum::metadata, "leader", "isr", "elr", "lke", "floor", "recovering", "p");
        verb("arrive", 1, 1, cluster.proposals()::arrive, "at");
        verb("answer", 1, 2, cluster.proposals()::answer, "le", "pe", "isr", "at");
        verb("lose", 1, 1, cluster.proposals()::lose);
    }

    private void replication(Cluster cluster, Fetches fetches) {
        verb(
                "fetch",
                1,
                1,
                command -> {
                    for (int id : command.brokers(0)) {
                        fetches.fetch(id, command.integer("p", 0), command.integer("max", Integer.MAX_VALUE));
                    }
                },
                "max",
                "p");
        verb(
                "catch-up",
                1,
                1,
                command -> command.brokers(0).forEach(id -> fetches.catchUp(id, command.integer("p", 0))),
                "p");
        verb("send", 1, 1, fetches::send, "as", "p");
        verb("serve", 1, 1, fetches::serve, "epoch", "max");
        verb("receive", 1, 1, fetches::receive);
        verb("fail", 1, 1, fetches::fail, "p");
        verb("respond", 1, 2, fetches::respond, "at", "le", "hw", "start", "error", "diverging", "p");
        verb("session", 1, 1, command -> cluster.process(command.broker(0)).newSession());
        verb("poll", 1, 1, fetches::poll);
        verb("leave", 1, 1, fetches::leave, "p");
        verb("ends", 1, 1, fetches::ends, "earliest", "latest", "le", "p");
    }

    private void clients(ClientVerbs clients) {
        verb("produce", 1, MANY, clients::produce, "acks", "batch", "pid", "epoch", "seq", "timeout", "p");
        verb("append", 1, 1, clients::append, "count", "p");
        verb("consume", 1, 1, clients::consume, "from", "epoch", "after", "p");
        verb("offset", 2, 3, clients::offset, "p");
        verb("epoch-end", 1, 1, clients::epochEnd, "of", "le", "p");
        verb("delete-records", 1, 1, clients::deleteRecords, "upto", "timeout", "p");
    }

    private void machines(MachineVerbs machines) {
        verb("log", 2, 2, machines::log, "hw", "p");
        verb("file", 3, 3, machines::file, "p");
        verb("stop", 1, 1, machines::stop);
        verb("crash", 1, 1, machines::crash);
        verb("power-loss", 1, 1, machines::powerLoss);
        verb("start", 1, 1, machines::start);
        verb("sync", 1, 1, machines::sync, "p");
        verb("checkpoint", 1, 1, machines::checkpoint);
        verb("writes", 2, 2, machines::writes);
        verb("silence", 1, 1, command -> machines.silence(command, true));
        verb("hear", 1, 1, command -> machines.silence(command, false));
        verb("pass", 1, 1, machines::pass);
        verb("show", 0, MANY, machines::show, "p");
    }

    private void verb(String name, int atLeast, int atMost, Verb.Action action, String... options) {
        verbs.put(name, new Verb(name, atLeast, atMost, Set.of(options), action));
    }

    Map<String, Verb> all() {
        return verbs;
    }

    void run(Command command) throws IOException {
        Verb verb = verbs.get(command.verb());
        if (verb == null) {
            throw new ScenarioException("no verb '" + command.verb() + "', only " + verbs.keySet());
        }
        command.checkAgainst(verb);
        verb.action().run(command);
    }
}
