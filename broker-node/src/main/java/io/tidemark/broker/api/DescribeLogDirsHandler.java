package io.tidemark.broker.api;

import io.tidemark.broker.log.LogName;
import io.tidemark.broker.net.Call;
import io.tidemark.broker.runtime.PartitionHost;
import io.tidemark.broker.runtime.PartitionLoop;
import io.tidemark.broker.runtime.Partitions;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.apache.kafka.common.message.DescribeLogDirsRequestData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsPartition;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsResult;
import org.apache.kafka.common.message.DescribeLogDirsResponseData.DescribeLogDirsTopic;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DescribeLogDirsRequest;
import org.apache.kafka.common.requests.DescribeLogDirsResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** DescribeLogDirs: this broker's data directory, the logs in it that are asked for, and how much its volume holds. */
public final class DescribeLogDirsHandler implements ApiHandler {
    private static final Logger LOG = LoggerFactory.getLogger(DescribeLogDirsHandler.class);

    private final Partitions partitions;
    private final Path directory;
    private final Executor blocking;

    /** @param blocking asks the file system, off the loops */
    public DescribeLogDirsHandler(Partitions partitions, Path directory, Executor blocking) {
        this.partitions = partitions;
        this.directory = directory;
        this.blocking = blocking;
    }

    @Override
    public void handle(Call call) {
        Predicate<LogName> asked = asked(((DescribeLogDirsRequest) call.body()).data());
        Map<LogName, DescribeLogDirsPartition> found = new TreeMap<>();
        Gather gather = new Gather(
                partitions.loop(call.loopIndex()), () -> blocking.execute(() -> call.respond(response(found))));
        for (PartitionLoop loop : partitions.loops()) {
            gather.oneMore();
            loop.execute(() -> {
                Map<LogName, DescribeLogDirsPartition> here = new TreeMap<>();
                for (PartitionHost host : loop.hosts()) {
                    if (asked.test(host.name())) {
                        here.put(
                                host.name(),
                                new DescribeLogDirsPartition()
                                        .setPartitionIndex(host.name().partition())
                                        .setPartitionSize(host.sizeInBytes())
                                        .setOffsetLag(host.offsetLag()));
                    }
                }
                gather.done(() -> found.putAll(here));
            });
        }
        gather.oneDone();
    }

    private static Predicate<LogName> asked(DescribeLogDirsRequestData request) {
        if (request.topics() == null) {
            return name -> true;
        }
        Set<LogName> names = new HashSet<>();
        request.topics()
                .forEach(topic ->
                        topic.partitions().forEach(partition -> names.add(new LogName(topic.topic(), partition))));
        return names::contains;
    }

    private DescribeLogDirsResponse response(Map<LogName, DescribeLogDirsPartition> found) {
        Map<String, DescribeLogDirsTopic> topics = new TreeMap<>();
        found.forEach((name, partition) -> topics.computeIfAbsent(
                        name.topic(), topic -> new DescribeLogDirsTopic().setName(topic))
                .partitions()
                .add(partition));
        DescribeLogDirsResult result = new DescribeLogDirsResult()
                .setLogDir(directory.toString())
                .setTopics(new ArrayList<>(topics.values()))
                .setErrorCode(Errors.NONE.code());
        try {
            FileStore volume = Files.getFileStore(directory);
            result.setTotalBytes(volume.getTotalSpace()).setUsableBytes(volume.getUsableSpace());
        } catch (IOException e) {
            LOG.warn("the volume of {} cannot be asked for its size: {}", directory, e.toString());
        }
        return new DescribeLogDirsResponse(new DescribeLogDirsResponseData().setResults(List.of(result)));
    }
}
