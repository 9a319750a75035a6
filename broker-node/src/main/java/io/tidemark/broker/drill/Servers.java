package io.tidemark.broker.drill;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The server processes of a cluster on this machine, found by the process ids its script leaves in {@code run/}. Such a
 * number may be another's by now: a process is the node's if its command line has the node's properties. Node ids above
 * 100 are controllers. Linux only: it reads /proc.
 */
public final class Servers {
    private static final int FIRST_CONTROLLER = 101;
    /** USER_HZ, which Linux fixes at 100 for what /proc shows. */
    private static final double TICKS_PER_SECOND = 100;

    private static final int FIELDS_BEFORE_UTIME_AFTER_NAME = 11;
    private static final int THREADS_AFTER_NAME = 17;
    /** The parent of the kernel's threads. */
    private static final String KERNEL = "2";

    private final Path data;
    private final List<String> script;

    /** @param script the cluster's script and its options, to which a command is added */
    public Servers(Path data, List<String> script) {
        this.data = data;
        this.script = List.copyOf(script);
    }

    /** User and system seconds of all servers that run. */
    public double cpuSeconds() {
        return cpuSeconds(pids().values());
    }

    /** The same, brokers only. */
    public double brokerCpuSeconds() {
        return cpuSeconds(pids().headMap(FIRST_CONTROLLER).values());
    }

    /** Resident memory of all brokers in MB (1e6 bytes). */
    public double brokerResidentMb() {
        return residentMb(pids().headMap(FIRST_CONTROLLER).values());
    }

    /** Resident memory of all controllers in MB (1e6 bytes). */
    public double controllerResidentMb() {
        return residentMb(pids().tailMap(FIRST_CONTROLLER).values());
    }

    /** @param name as kill(1) takes it: KILL, STOP, CONT, TERM */
    public void signal(int node, String name) {
        Long pid = pids().get(node);
        if (pid == null) {
            throw new DrillException("node " + node + " does not run");
        }
        call(List.of("kill", "-" + name, Long.toString(pid)));
    }

    /** Returns when the process is gone; throws DrillException after 60 s. */
    public void awaitGone(int node) {
        Waiting.until("node " + node + " to end", 60, () -> !runs(node) && !isEnding(node));
    }

    /** Starts a node, and returns when its script says it is ready. */
    public void start(int node) {
        script("start", Integer.toString(node));
    }

    /** Runs a command of the cluster's script. */
    public void script(String... command) {
        List<String> words = new ArrayList<>(script);
        words.addAll(List.of(command));
        call(words);
    }

    /** Whether the node's process is there, be it paused. */
    public boolean runs(int node) {
        return pids().containsKey(node);
    }

    /** Of the nodes that run. */
    private TreeMap<Integer, Long> pids() {
        TreeMap<Integer, Long> pids = written();
        pids.entrySet()
                .removeIf(entry ->
                        commandLine(entry.getValue()).stream().noneMatch(word -> isPropertiesOf(entry.getKey(), word)));
        return pids;
    }

    /** As the script has written them, whatever has become of them. */
    private TreeMap<Integer, Long> written() {
        TreeMap<Integer, Long> pids = new TreeMap<>();
        Path directory = data.resolve("run");
        if (!Files.isDirectory(directory)) {
            return pids;
        }
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (name.matches("node-[0-9]+\\.pid")) {
                    String text = text(file).strip();
                    if (text.matches("[0-9]+")) {
                        pids.put(Integer.parseInt(name.replaceAll("[^0-9]", "")), Long.parseLong(text));
                    }
                }
            }
        } catch (IOException e) {
            throw new DrillException("cannot read the process ids: " + e.getMessage(), e);
        }
        return pids;
    }

    /** The cluster's directory may have been called by another name when the node was started. */
    private boolean isPropertiesOf(int node, String word) {
        String name = "node-" + node + ".properties";
        if (!word.endsWith("/config/" + name)) {
            return false;
        }
        Path own = data.toAbsolutePath().normalize().resolve("config").resolve(name);
        try {
            return Path.of(word).equals(own) || Files.isSameFile(Path.of(word), own);
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * A process that was killed has no command line any more while it still holds its ports; neither has a thread of the
     * kernel. A zombie of one thread is gone: nobody may be there to reap it.
     */
    private boolean isEnding(int node) {
        Long pid = written().get(node);
        if (pid == null || !commandLine(pid).isEmpty()) {
            return false;
        }
        String stat = text(Path.of("/proc", Long.toString(pid), "stat"));
        if (stat.isEmpty()) {
            return false;
        }
        String[] fields = afterName(stat).split(" ");
        boolean zombie = fields[0].equals("Z") || fields[0].equals("X");
        return !fields[1].equals(KERNEL) && !(zombie && fields[THREADS_AFTER_NAME].equals("1"));
    }

    private static List<String> commandLine(long pid) {
        String text = text(Path.of("/proc", Long.toString(pid), "cmdline"));
        return text.isEmpty() ? List.of() : List.of(text.split("\0"));
    }

    /** "" where there is no such file, or not any more. */
    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    private static double cpuSeconds(Collection<Long> pids) {
        double ticks = 0;
        for (long pid : pids) {
            String[] fields = afterName(read(pid, "stat")).split(" ");
            ticks += Long.parseLong(fields[FIELDS_BEFORE_UTIME_AFTER_NAME])
                    + Long.parseLong(fields[FIELDS_BEFORE_UTIME_AFTER_NAME + 1]);
        }
        return ticks / TICKS_PER_SECOND;
    }

    /** The name of a process, in brackets, may hold anything. */
    private static String afterName(String stat) {
        return stat.substring(stat.lastIndexOf(')') + 2);
    }

    private static double residentMb(Collection<Long> pids) {
        double kib = 0;
        for (long pid : pids) {
            kib += read(pid, "status")
                    .lines()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                    .sum();
        }
        return kib * 1024 / 1e6;
    }

    private static String read(long pid, String file) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), file));
        } catch (IOException e) {
            throw new DrillException("process " + pid + " went away: " + e.getMessage(), e);
        }
    }

    private static void call(List<String> words) {
        try {
            Path output = Files.createTempFile("bench", ".out");
            // A file and no pipe: the nodes a script starts inherit it.
            Process process = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .start();
            boolean ended = process.waitFor(180, TimeUnit.SECONDS);
            String text = Files.readString(output, StandardCharsets.UTF_8).strip();
            Files.delete(output);
            if (!ended || process.exitValue() != 0) {
                throw new DrillException(String.join(" ", words) + " failed: " + text);
            }
        } catch (IOException e) {
            throw new DrillException("cannot run " + words + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DrillException("interrupted", e);
        }
    }
}
