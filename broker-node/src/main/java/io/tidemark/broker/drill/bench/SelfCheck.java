package io.tidemark.broker.drill.bench;

import io.tidemark.broker.drill.AckLedger;
import io.tidemark.broker.drill.ClusterView;
import io.tidemark.broker.drill.PartitionView;
import io.tidemark.broker.drill.ReadBack;
import io.tidemark.broker.drill.Servers;
import io.tidemark.broker.drill.SteadyWriter;
import io.tidemark.broker.drill.Verdict;
import io.tidemark.broker.drill.Waiting;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;

/**
 * Loses records on purpose: acks=1 while the followers stand still, then the leader is killed, so the tail that only it
 * had is cut. A harness that finds nothing here would find nothing anywhere.
 */
final class SelfCheck {
    private static final int PER_SECOND = 500;
    private static final int LIMIT_S = 90;

    private final String bootstrap;
    private final Servers servers;

    SelfCheck(String bootstrap, Servers servers) {
        this.bootstrap = bootstrap;
        this.servers = servers;
    }

    /** Leaves the cluster whole. The topic must not exist. */
    Verdict run(String topic) {
        try (Topics topics = new Topics(bootstrap)) {
            topics.createReplicated(topic, 1);
        }
        TopicPartition partition = new TopicPartition(topic, 0);
        AckLedger ledger = new AckLedger();
        Map<String, Object> settings = new HashMap<>(SteadyWriter.impatient(bootstrap));
        settings.put(ProducerConfig.ACKS_CONFIG, "1");
        settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, false);
        SteadyWriter writer = new SteadyWriter(partition, ledger, PER_SECOND, settings);
        try (ClusterView view = new ClusterView(bootstrap, partition)) {
            writer.start();
            Waiting.until("the first acks", LIMIT_S, () -> ledger.ackedCount() >= PER_SECOND);
            PartitionView before = view.look();
            List<Integer> followers = before.replicas().stream()
                    .filter(broker -> broker != before.leader())
                    .toList();
            followers.forEach(broker -> servers.signal(broker, "STOP"));
            long more = ledger.ackedCount() + PER_SECOND;
            Waiting.until("acks of the leader alone", LIMIT_S, () -> ledger.ackedCount() >= more);
            servers.signal(before.leader(), "KILL");
            followers.forEach(broker -> servers.signal(broker, "CONT"));
            view.await("another leader", LIMIT_S, now -> now.leader() >= 0 && now.leader() != before.leader());
            long last = ledger.ackedCount() + PER_SECOND;
            Waiting.until("acks under another leader", LIMIT_S, () -> ledger.ackedCount() >= last);
            writer.finish();
            servers.awaitGone(before.leader());
            servers.start(before.leader());
            view.await("a full ISR", LIMIT_S, PartitionView::isFullyInSync);
            return Verdict.of(ledger.acks(), ReadBack.all(bootstrap, partition, ledger.end()));
        } catch (RuntimeException e) {
            writer.abandon();
            throw e;
        }
    }
}
