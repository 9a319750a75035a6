package io.tidemark.broker.sim;

import io.tidemark.broker.log.SimDisk;
import java.io.IOException;
import java.nio.file.Path;

/** What the disk of one machine does wrong: errors, no space left, or the end of the process in the middle of something. */
final class DiskTrouble implements SimDisk.Faults {
    private final Machine machine;
    private int endAfter = -1;
    private Machine.Crash endAs;
    private int failAfter = -1;
    private SimDisk.Operation failOn;
    private boolean full;
    private boolean failed;

    DiskTrouble(Machine machine) {
        this.machine = machine;
    }

    /** The process ends before the {@code operations}th operation from now. */
    void endAfter(int operations, Machine.Crash kind) {
        endAfter = operations;
        endAs = kind;
    }

    /** The {@code operations}th operation of that kind from now fails. */
    void failAfter(int operations, SimDisk.Operation kind) {
        failAfter = operations;
        failOn = kind;
    }

    /** Nothing that needs space succeeds. */
    void full(boolean noSpace) {
        full = noSpace;
    }

    void clear() {
        endAfter = -1;
        failAfter = -1;
        full = false;
        failed = false;
    }

    /** Whether the process at hand has met an error. */
    boolean hasFailed() {
        return failed;
    }

    @Override
    public void before(SimDisk.Operation operation, Path path, int bytes) throws IOException {
        if (endAfter > 0 && --endAfter == 0) {
            endAfter = -1;
            Machine.Crash kind = endAs;
            throw new ProcessEnd(() -> machine.crash(kind));
        }
        if (failAfter > 0 && operation == failOn && --failAfter == 0) {
            failAfter = -1;
            failed = true;
            machine.sim().trace().note("disk error", machine.id(), operation.name(), path.toString());
            throw new IOException("input/output error");
        }
        if (full && bytes > 0) {
            failed = true;
            throw new IOException("no space left on device");
        }
    }
}
