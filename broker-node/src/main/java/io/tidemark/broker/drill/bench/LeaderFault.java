package io.tidemark.broker.drill.bench;

import io.tidemark.broker.drill.AckLedger;
import io.tidemark.broker.drill.ClusterView;
import io.tidemark.broker.drill.PartitionView;
import io.tidemark.broker.drill.ReadBack;
import io.tidemark.broker.drill.Servers;
import io.tidemark.broker.drill.SteadyWriter;
import io.tidemark.broker.drill.Verdict;
import io.tidemark.broker.drill.Waiting;
import org.apache.kafka.common.TopicPartition;

/** Something happens to the leader of a partition under a steady load of 1,000 records a second. */
final class LeaderFault {
    private static final int PER_SECOND = 1000;
    private static final int LIMIT_S = 90;
    private static final long WARM_UP_ACKS = 3L * PER_SECOND;

    private final String bootstrap;
    private final Servers servers;

    LeaderFault(String bootstrap, Servers servers) {
        this.bootstrap = bootstrap;
        this.servers = servers;
    }

    /** What happens to the leader. */
    enum Fault {
        KILL("KILL"),
        PAUSE("STOP"),
        TERM("TERM");

        private final String signal;

        Fault(String signal) {
            this.signal = signal;
        }
    }

    /** @param longestGapMs longest time without an ack */
    record Outcome(long longestGapMs, Verdict verdict) {}

    /** Leaves the cluster whole: the broker is back and in sync. The topic must not exist. */
    Outcome run(Fault fault, String topic) {
        try (Topics topics = new Topics(bootstrap)) {
            topics.createReplicated(topic, 1);
        }
        TopicPartition partition = new TopicPartition(topic, 0);
        AckLedger ledger = new AckLedger();
        SteadyWriter writer = new SteadyWriter(partition, ledger, PER_SECOND, SteadyWriter.impatient(bootstrap));
        try (ClusterView view = new ClusterView(bootstrap, partition)) {
            writer.start();
            Waiting.until("the first acks", LIMIT_S, () -> ledger.ackedCount() >= WARM_UP_ACKS);
            ledger.forgetGaps();
            int leader = view.look().leader();
            servers.signal(leader, fault.signal);
            view.await("another leader", LIMIT_S, now -> now.leader() >= 0 && now.leader() != leader);
            long more = ledger.ackedCount() + 2L * PER_SECOND;
            Waiting.until("acks under another leader", LIMIT_S, () -> ledger.ackedCount() >= more);
            writer.finish();
            bringBack(fault, leader);
            view.await("a full ISR", LIMIT_S, PartitionView::isFullyInSync);
            return new Outcome(
                    ledger.longestGapMs(), Verdict.of(ledger.acks(), ReadBack.all(bootstrap, partition, ledger.end())));
        } catch (RuntimeException e) {
            writer.abandon();
            throw e;
        }
    }

    private void bringBack(Fault fault, int node) {
        if (fault == Fault.PAUSE) {
            servers.signal(node, "CONT");
        } else {
            servers.awaitGone(node);
            servers.start(node);
        }
    }
}
