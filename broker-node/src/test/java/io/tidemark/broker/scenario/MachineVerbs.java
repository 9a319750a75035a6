package io.tidemark.broker.scenario;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** What happens to machines, processes and time, and what can be seen of them. */
final class MachineVerbs {
    private final Cluster cluster;

    MachineVerbs(Cluster cluster) {
        this.cluster = cluster;
    }

    void log(Command command) throws IOException {
        int partition = command.integer("p", 0);
        for (int id : command.brokers(0)) {
            cluster.machine(id)
                    .put(
                            Cluster.nameOf(partition),
                            Cluster.partition(partition),
                            RecordText.batches(command.argument(1)),
                            command.number("hw", 0));
        }
    }

    void file(Command command) throws IOException {
        command.word(1, "epochs");
        cluster.machine(command.broker(0))
                .epochs(
                        Cluster.nameOf(command.integer("p", 0)),
                        command.argument(2).equals("gone") ? null : Words.history(command.argument(2)));
    }

    void stop(Command command) throws IOException {
        cluster.machine(command.broker(0)).stop();
    }

    void crash(Command command) throws IOException {
        cluster.machine(command.broker(0)).crash();
    }

    void powerLoss(Command command) throws IOException {
        cluster.machine(command.broker(0)).losePower();
    }

    void start(Command command) throws IOException {
        BrokerProcess process = cluster.machine(command.broker(0)).start(cluster);
        cluster.out().say("%d: %s", command.broker(0), process.found());
        process.copies().values().forEach(Copy::show);
    }

    void sync(Command command) throws IOException {
        cluster.process(command.broker(0)).copy(command.integer("p", 0)).sync();
    }

    void checkpoint(Command command) throws IOException {
        cluster.process(command.broker(0)).storeMarks();
    }

    void writes(Command command) throws IOException {
        BrokerProcess process = cluster.process(command.broker(0));
        process.writesHeld = command.word(1, "held", "free").equals("held");
        if (!process.writesHeld) {
            for (Copy copy : process.copies().values()) {
                copy.write();
            }
        }
    }

    void silence(Command command, boolean silent) {
        cluster.process(command.broker(0)).silent = silent;
    }

    void pass(Command command) {
        cluster.pass(Long.parseLong(command.argument(0)));
    }

    void show(Command command) {
        int partition = command.integer("p", 0);
        List<String> asked = command.arguments();
        boolean everything = asked.isEmpty();
        if (everything || asked.contains("controller")) {
            cluster.quorum().show(Cluster.partition(partition));
        }
        if (everything || asked.contains("all")) {
            cluster.machines().keySet().forEach(id -> show(id, partition));
        }
        for (int i = 0; i < asked.size(); i++) {
            if (!asked.get(i).equals("controller") && !asked.get(i).equals("all")) {
                command.brokers(i).forEach(id -> show(id, partition));
            }
        }
    }

    private void show(int id, int partition) {
        Machine machine = cluster.machine(id);
        if (!machine.up()) {
            cluster.out().say("%d: down", id);
            return;
        }
        Map<Integer, Copy> copies = machine.process().copies();
        if (copies.containsKey(partition)) {
            copies.get(partition).show();
        } else {
            cluster.out().say("%d: no replica", id);
        }
    }
}
