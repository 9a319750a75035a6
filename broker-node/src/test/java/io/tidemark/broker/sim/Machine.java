package io.tidemark.broker.sim;

import io.tidemark.broker.log.MemoryOffsetIndex;
import io.tidemark.broker.log.SimDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What stays of a broker when its process ends: its disk, its index, its boot of the kernel. */
public final class Machine {
    /** How a process may end without a word. */
    enum Crash {
        /** What was written is still there. */
        PROCESS,
        /** What was not synced is at stake. */
        POWER
    }

    static final Path ROOT = Path.of("/data");

    private final Simulation sim;
    private final int id;
    private final SimDisk disk;
    private final MemoryOffsetIndex index = new MemoryOffsetIndex();
    private final Chance chance;
    private final DiskTrouble trouble;
    private int boots = 1;
    private final Map<String, Long> startedAt = new HashMap<>();
    private int starts;
    private Process process;
    private long pausedUntil;
    /** When it last lost what was not synced, microseconds; -1 if never. */
    private long powerLostAt = -1;

    Machine(Simulation sim, int id, Chance chance) {
        this.sim = sim;
        this.id = id;
        this.chance = chance;
        this.disk = new SimDisk(chance.fork().random());
        this.trouble = new DiskTrouble(this);
        disk.faults(trouble);
        disk.createDirectory(ROOT);
    }

    public int id() {
        return id;
    }

    SimDisk disk() {
        return disk;
    }

    MemoryOffsetIndex index() {
        return index;
    }

    DiskTrouble trouble() {
        return trouble;
    }

    Simulation sim() {
        return sim;
    }

    String bootEvidence() {
        return "machine " + id + " boot " + boots;
    }

    /** Null if it is down. */
    public Process process() {
        return process;
    }

    boolean up() {
        return process != null;
    }

    public long powerLostAt() {
        return powerLostAt;
    }

    /** Whether it has lost what was not synced since that incarnation started: what the cluster knows of it may be void. */
    boolean hasLostSince(String incarnation) {
        return !sim.profile().log().synced() && powerLostAt >= startedAt.getOrDefault(incarnation, 0L);
    }

    void start() {
        if (process == null) {
            if (disk.loseUnwritten()) {
                powerLostAt = sim.queue().now();
            }
            process = new Process(sim, this, ++starts, chance.fork());
            startedAt.put(process.incarnation(), sim.queue().now());
            sim.trace().note("start", id, starts);
            process.start();
        }
    }

    /** The process is gone, by itself or in order. */
    void ended(Process which) {
        if (process == which) {
            process = null;
        }
    }

    void crash(Crash kind) {
        sim.trace().note("crash", id, kind.name());
        trouble.clear();
        if (process != null) {
            process.die();
            process = null;
        }
        pausedUntil = 0;
        if (kind == Crash.POWER) {
            powerLostAt = sim.queue().now();
            boots++;
            disk.losePower();
        }
        // The index keeps what it had flushed, which may be more than the data did, or less.
        if (chance.oneIn(2)) {
            index.flush();
        } else {
            index.crash();
        }
    }

    void pause(long micros) {
        pausedUntil = sim.queue().now() + micros;
        sim.trace().note("pause", id, micros);
    }

    /** Until when nothing runs here, microseconds. */
    long pausedUntil() {
        return pausedUntil;
    }

    /** The bytes of a file of this machine; null if there is none. */
    public ByteBuffer file(Path relative) {
        return disk.view(ROOT.resolve(relative));
    }

    /** Names in a directory of this machine; none if there is no such directory. */
    public List<String> names(Path relative) {
        try {
            return disk.list(ROOT.resolve(relative));
        } catch (IOException e) {
            return List.of();
        }
    }
}
