package io.tidemark.broker.scenario;

import io.tidemark.broker.log.LogName;
import io.tidemark.broker.log.LogOnDisk;
import io.tidemark.broker.log.MemoryOffsetIndex;
import io.tidemark.broker.log.SimDisk;
import io.tidemark.model.EpochHistory;
import io.tidemark.model.PartitionId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** What stays of a broker when its process ends: its disk, its index, its boot of the kernel. */
final class Machine {
    static final Path ROOT = Path.of("/data");

    final int id;
    private final SimDisk disk = new SimDisk(new LosesAll());
    private final MemoryOffsetIndex index = new MemoryOffsetIndex();
    private int boots = 1;
    private int starts;
    private BrokerProcess process;

    Machine(int id) {
        this.id = id;
        disk.createDirectory(ROOT);
    }

    SimDisk disk() {
        return disk;
    }

    MemoryOffsetIndex index() {
        return index;
    }

    String bootEvidence() {
        return bootEvidence(id, boots);
    }

    static String bootEvidence(int id, int boots) {
        return "machine " + id + " boot " + boots;
    }

    static String incarnation(int id, int starts) {
        return "incarnation-" + id + "-" + starts;
    }

    boolean up() {
        return process != null;
    }

    boolean neverStarted() {
        return starts == 0;
    }

    /** The running one. */
    BrokerProcess process() {
        if (process == null) {
            throw new ScenarioException("broker " + id + " is down");
        }
        return process;
    }

    BrokerProcess start(Cluster cluster) throws IOException {
        if (process != null) {
            throw new ScenarioException("broker " + id + " runs");
        }
        process = new BrokerProcess(cluster, this, incarnation(id, ++starts));
        return process;
    }

    void stop() throws IOException {
        process().close();
        process = null;
    }

    void crash() throws IOException {
        process().abandon();
        process = null;
        index.crash();
    }

    void losePower() throws IOException {
        if (process != null) {
            crash();
        }
        boots++;
        disk.losePower();
    }

    void put(LogName name, PartitionId partition, List<ByteBuffer> batches, long highWatermark) throws IOException {
        checkDown();
        LogOnDisk.put(disk, index, ROOT, name, partition, batches, highWatermark);
    }

    void epochs(LogName name, EpochHistory history) throws IOException {
        checkDown();
        LogOnDisk.epochs(disk, ROOT, name, history);
    }

    private void checkDown() {
        if (process != null) {
            throw new ScenarioException("broker " + id + " runs: its disk is its own");
        }
    }
}
