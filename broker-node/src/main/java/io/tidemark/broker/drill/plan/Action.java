package io.tidemark.broker.drill.plan;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What a step of a drill can do, and the arguments that it takes beside at, do, node and as. */
public enum Action {
    KILL("kill", Nodes.NEEDED, "kill -9"),
    STOP("stop", Nodes.NEEDED, "SIGTERM: an orderly stop"),
    PAUSE("pause", Nodes.NEEDED, "SIGSTOP"),
    RESUME("resume", Nodes.NEEDED, "SIGCONT"),
    START("start", Nodes.NEEDED, "starts what is stopped, and waits until it is ready"),
    RESTART("restart", Nodes.NEEDED, "kill -9, and started again at once"),
    ROLL("roll", Nodes.NEEDED, "one after the other: SIGTERM, start, wait until all replicas are in sync"),
    WIPE("wipe", Nodes.NEEDED, "an empty disk for a node that is stopped"),
    DELETE_FILE("delete-file", Nodes.NEEDED, "of a node that is stopped", "file"),
    CORRUPT_FILE("corrupt-file", Nodes.NEEDED, "of a node that is stopped: its first bytes are overwritten", "file"),
    FILL_DISK("fill-disk", Nodes.NEEDED, "the node's disk is full; cluster.disks gives it a small one"),
    FREE_DISK("free-disk", Nodes.NEEDED, "what filled it is deleted"),
    UNPLUG(
            "unplug",
            Nodes.NEEDED,
            "cuts a broker from the controllers, from brokers and clients, or from the other brokers alone",
            "from"),
    CUT(
            "cut",
            Nodes.NEEDED,
            "unplug in one direction: packets to the node, in, or from it, out, are lost",
            "from",
            "way"),
    IMPAIR("impair", Nodes.NEEDED, "delays packets on a cable, and loses some", "from", "delay?", "loss?", "way?"),
    PLUG("plug", Nodes.NEEDED, "undoes unplug, cut and impair"),
    SLOW_DISK("slow-disk", Nodes.NEEDED, "each write and sync takes longer", "delay"),
    RESTORE_DISK("restore-disk", Nodes.NEEDED, "undoes slow-disk"),
    JUMP_CLOCK("jump-clock", Nodes.NEEDED, "the node's wall clock jumps", "by"),
    RESTORE_CLOCK("restore-clock", Nodes.NEEDED, "the node's wall clock is right again: another jump"),
    CONFIGURE("configure", Nodes.NONE, "changes a topic's configuration", "topic", "set"),
    REASSIGN("reassign", Nodes.NONE, "other replicas for a partition", "partition", "to"),
    ELECT("elect", Nodes.NONE, "an election, preferred or unclean", "partition", "type"),
    NOTE("note", Nodes.NEEDED, "only gives the nodes a name, with as"),
    AWAIT("await", Nodes.NONE, "waits until something is so", "until", "partition?", "size?", "within?");

    private final String key;
    private final Nodes nodes;
    private final String meaning;
    private final List<String> arguments;

    Action(String key, Nodes nodes, String meaning, String... arguments) {
        this.key = key;
        this.nodes = nodes;
        this.meaning = meaning;
        this.arguments = List.of(arguments);
    }

    /** Whether a step says which nodes. */
    enum Nodes {
        NEEDED,
        NONE
    }

    /** As in files. */
    public String key() {
        return key;
    }

    /** In words. */
    public String meaning() {
        return meaning;
    }

    /** Whether nodes do nothing useful any more after it, whatever its arguments. */
    boolean harms() {
        return switch (this) {
            case KILL, STOP, PAUSE, RESTART, ROLL, FILL_DISK, UNPLUG, CUT -> true;
            default -> false;
        };
    }

    /** Whether it stands until another step undoes it. */
    public boolean lasts() {
        return switch (this) {
            case KILL, STOP, PAUSE, FILL_DISK, UNPLUG, CUT, IMPAIR, SLOW_DISK, JUMP_CLOCK, WIPE -> true;
            default -> false;
        };
    }

    /** Whether it is the end of others and no fault of its own. */
    public boolean undoes() {
        return switch (this) {
            case START, RESUME, PLUG, FREE_DISK, RESTORE_DISK, RESTORE_CLOCK -> true;
            default -> false;
        };
    }

    /** Whether it accounts for a change of leader or ISR: a clock that jumps must cause none. */
    public boolean accounts() {
        return this != JUMP_CLOCK;
    }

    /** Whether what a node has stored is less after it than before. */
    public boolean destroys() {
        return this == WIPE || this == DELETE_FILE || this == CORRUPT_FILE;
    }

    boolean takesNodes() {
        return nodes == Nodes.NEEDED;
    }

    Set<String> required() {
        Set<String> names = new TreeSet<>();
        arguments.stream().filter(name -> !name.endsWith("?")).forEach(names::add);
        return names;
    }

    Set<String> allowed() {
        Set<String> names = new TreeSet<>();
        arguments.forEach(name -> names.add(name.replace("?", "")));
        return names;
    }

    static Optional<Action> of(String key) {
        return Arrays.stream(values()).filter(action -> action.key.equals(key)).findFirst();
    }
}
