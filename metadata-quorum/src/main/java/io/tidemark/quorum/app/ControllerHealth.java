package io.tidemark.quorum.app;

import io.tidemark.model.health.DiskSpace;
import io.tidemark.model.health.MetricName;
import io.tidemark.model.health.MetricSink;
import io.tidemark.model.health.Page;
import io.tidemark.model.health.Readiness;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.TopicState;
import io.tidemark.quorum.ratis.QuorumServer;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a controller tells on its health port: the metrics of R9.14, and whether it takes part. */
final class ControllerHealth {
    private static final String GROUP = "kafka.controller";
    /** A member that follows is heard of several times a second. */
    private static final long SILENT_MS = 5_000;
    /** One that keeps up is caught up many times within it, whatever the load. */
    private static final long BEHIND_MS = 10_000;

    private final QuorumServer server;
    private final Path directory;

    /** @param directory that the metadata log is in */
    ControllerHealth(QuorumServer server, Path directory) {
        this.server = server;
        this.directory = directory;
    }

    /** Ready is who acts, or follows one that acts. */
    Readiness readiness() {
        QuorumQuery.StatusAnswer status = server.status();
        boolean acts = server.leads();
        boolean follows = server.follows();
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("controller", status.nodeId());
        facts.put("actingController", status.leaderId());
        facts.put("term", status.term());
        facts.put("appliedIndex", status.appliedIndex());
        facts.put("commitIndex", status.commitIndex());
        return Readiness.of(acts || follows, acts ? "acting" : follows ? "following" : "no acting controller", facts);
    }

    /** What may become a problem, a line each; of the other controllers by the acting one, who sees how far they are. */
    Page.Answer warnings() {
        StringBuilder text = new StringBuilder();
        DiskSpace.warning(directory).ifPresent(line -> text.append(line).append('\n'));
        if (server.leads()) {
            QuorumQuery.MembersAnswer members = server.members();
            long now = System.currentTimeMillis();
            for (QuorumQuery.Member voter : members.voters()) {
                String problem = voter.id() == server.nodeId() ? null : behind(voter, members.endIndex(), now);
                if (problem != null) {
                    text.append(problem).append('\n');
                }
            }
        }
        return Page.Answer.text(200, text.toString());
    }

    /** Null if it keeps up. */
    static String behind(QuorumQuery.Member voter, long endIndex, long nowMs) {
        if (voter.seenMs() < 0) {
            return "controller " + voter.id() + " has not been heard of in this term";
        } else if (nowMs - voter.seenMs() > SILENT_MS) {
            return "controller " + voter.id() + " has not been heard of for " + (nowMs - voter.seenMs()) / 1_000 + " s";
        } else if (voter.endIndex() < endIndex && nowMs - voter.caughtUpMs() > BEHIND_MS) {
            return "controller " + voter.id() + " is " + (endIndex - voter.endIndex()) + " entries behind"
                    + (voter.caughtUpMs() < 0
                            ? ""
                            : ", last caught up " + (nowMs - voter.caughtUpMs()) / 1_000 + " s ago");
        }
        return null;
    }

    void collect(MetricSink sink) {
        QuorumQuery.StatusAnswer status = server.status();
        boolean acts = server.leads();
        ClusterImage image = status.image();
        sink.gauge(name("ActiveControllerCount"), acts ? 1 : 0);
        brokers(image, sink);
        topics(image, sink);
        sink.gauge(name("LastAppliedRecordOffset"), status.appliedIndex());
        sink.gauge(name("LastCommittedRecordOffset"), status.commitIndex());
        sink.gauge(name("LastAppliedRecordTimestamp"), image.timestampMs());
        // The acting controller has nobody to lag behind.
        sink.gauge(
                name("LastAppliedRecordLagMs"),
                acts ? 0 : Math.max(0, System.currentTimeMillis() - image.timestampMs()));
        sink.gauge(name("TimedOutBrokerHeartbeatCount"), server.counts().sessionsRunOut());
        sink.gauge(name("NewActiveControllersCount"), server.counts().newLeaders());
        sink.gauge(name("MetadataErrorCount"), status.voidEntries());
        sink.gauge(name("EventQueueOperationsStartedCount"), server.counts().commands());
        // What is appended is decided: nothing waits here that could be given up.
        sink.gauge(name("EventQueueOperationsTimedOutCount"), 0);
        sink.count(
                MetricName.of(GROUP, "ControllerStats", "UncleanLeaderElectionsPerSec"),
                server.counts().uncleanElections());
        sink.count(
                MetricName.of(GROUP, "ControllerStats", "ElectionFromEligibleLeaderReplicasPerSec"),
                server.counts().elrElections());
        sink.gauge(MetricName.of("tidemark.controller", "MetadataLog", "VoidEntries"), status.voidEntries());
        if (acts) {
            members(sink);
        }
    }

    private static MetricName name(String name) {
        return MetricName.of(GROUP, "KafkaController", name);
    }

    private static void brokers(ClusterImage image, MetricSink sink) {
        int fenced = 0;
        int active = 0;
        int stopping = 0;
        for (BrokerState broker : image.brokers().values()) {
            fenced += broker.fenced() ? 1 : 0;
            active += broker.fenced() ? 0 : 1;
            stopping += !broker.fenced() && broker.shuttingDown() ? 1 : 0;
        }
        sink.gauge(name("FencedBrokerCount"), fenced);
        sink.gauge(name("ActiveBrokerCount"), active);
        sink.gauge(name("ControlledShutdownBrokerCount"), stopping);
    }

    private static void topics(ClusterImage image, MetricSink sink) {
        int partitions = 0;
        int offline = 0;
        int imbalanced = 0;
        for (TopicState topic : image.topics().values()) {
            for (PartitionState state : topic.partitions()) {
                partitions++;
                offline += state.hasLeader() ? 0 : 1;
                imbalanced += state.leader() == state.replicas().get(0) ? 0 : 1;
            }
        }
        sink.gauge(name("GlobalTopicCount"), image.topics().size());
        sink.gauge(name("GlobalPartitionCount"), partitions);
        sink.gauge(name("OfflinePartitionsCount"), offline);
        sink.gauge(name("PreferredReplicaImbalanceCount"), imbalanced);
    }

    /** How long the acting controller has not heard of each broker, and how far each other controller is behind it. */
    private void members(MetricSink sink) {
        QuorumQuery.MembersAnswer members = server.members();
        long now = System.currentTimeMillis();
        for (QuorumQuery.Member broker : members.followers()) {
            sink.gauge(
                    name("TimeSinceLastHeartbeatReceivedMs").with("broker", broker.id()),
                    Math.max(0, now - broker.seenMs()));
        }
        for (QuorumQuery.Member voter : members.voters()) {
            if (voter.id() != server.nodeId()) {
                sink.gauge(
                        MetricName.of("tidemark.controller", "MetadataLog", "MemberLag")
                                .with("controller", voter.id()),
                        members.endIndex() - voter.endIndex());
            }
        }
    }
}
