package io.tidemark.broker.sim;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs seeds; see scripts/sim.sh. */
public final class SimMain {
    private static final int LAST_EVENTS = 60;

    private SimMain() {}

    public static void main(String[] arguments) {
        long first = 1;
        long count = 100;
        long minutes = 0;
        int events = LAST_EVENTS;
        int failures = 20;
        boolean single = false;
        boolean each = false;
        for (int i = 0; i + 1 < arguments.length; i += 2) {
            String value = arguments[i + 1];
            switch (arguments[i]) {
                case "--seed" -> {
                    first = Long.parseLong(value);
                    single = true;
                }
                case "--from" -> first = Long.parseLong(value);
                case "--count" -> count = Long.parseLong(value);
                case "--minutes" -> minutes = Long.parseLong(value);
                case "--failures" -> failures = Integer.parseInt(value);
                case "--each" -> each = Boolean.parseBoolean(value);
                case "--events" -> events = Integer.parseInt(value);
                default -> throw new IllegalArgumentException("unknown option " + arguments[i]);
            }
        }
        try (ErrorLog errors = new ErrorLog()) {
            System.exit(run(first, single ? 1 : count, single ? 0 : minutes, events, single || each, failures, errors));
        }
    }

    private static int run(
            long first, long count, long minutes, int lastEvents, boolean each, int failures, ErrorLog errors) {
        long start = System.nanoTime();
        long nextWord = start + TimeUnit.SECONDS.toNanos(10);
        long events = 0;
        long faults = 0;
        long acknowledged = 0;
        long unclean = 0;
        long deleted = 0;
        long slowestRest = 0;
        long done = 0;
        List<Long> failed = new ArrayList<>();
        for (long seed = first; minutes > 0 ? minutes(start) < minutes : done < count; seed++) {
            Simulation.Outcome outcome = errors.watch(seed).run(lastEvents);
            done++;
            events += outcome.events();
            faults += outcome.faults();
            acknowledged += outcome.acknowledged();
            unclean += outcome.uncleanElections();
            deleted += outcome.deletedPartitions();
            slowestRest = Math.max(slowestRest, outcome.restMicros());
            if (outcome.breach() != null) {
                failed.add(seed);
                tell(outcome);
                if (failed.size() >= failures) {
                    break;
                }
            }
            if (System.nanoTime() > nextWord) {
                nextWord = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
                System.out.printf("%d seeds, %d failed%n", done, failed.size());
            }
            if (each) {
                System.out.printf(
                        "seed %d: %d events, %d faults, %d batches acknowledged, %d unclean elections, trace %016x%n",
                        seed,
                        outcome.events(),
                        outcome.faults(),
                        outcome.acknowledged(),
                        outcome.uncleanElections(),
                        outcome.digest());
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf(
                "%s: %d seeds from %d, %d failed%s; %d events, %d faults, %d batches acknowledged, %d unclean elections, "
                        + "%d partitions deleted, at rest after %.1f s at most; %.0f s, %.0f seeds a CPU minute%n",
                failed.isEmpty() ? "OK" : "FAILED",
                done,
                first,
                failed.size(),
                failed.isEmpty() ? "" : " " + failed,
                events,
                faults,
                acknowledged,
                unclean,
                deleted,
                slowestRest / 1e6,
                seconds,
                done * 60 / (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1e9));
        return failed.isEmpty() ? 0 : 1;
    }

    private static long minutes(long start) {
        return TimeUnit.NANOSECONDS.toMinutes(System.nanoTime() - start);
    }

    private static void tell(Simulation.Outcome outcome) {
        outcome.last().forEach(System.out::println);
        RuntimeException breach = outcome.breach();
        System.out.println(
                "seed " + outcome.seed() + " commit " + System.getProperty("sim.commit", "unknown") + ": " + breach);
        if (!(breach instanceof Violation)) {
            breach.printStackTrace(System.out);
        }
        System.out.println("replay: scripts/sim.sh --seed " + outcome.seed());
    }
}
