package io.tidemark.broker.sim;

import java.util.ArrayList;
import java.util.List;

/** Makes the table of what each durability survives, one row for each kind of crash; see scripts/sim.sh. */
public final class DurabilityMain {
    /** The sums of one row. */
    private record Row(long faults, long acknowledged, long lost, long unclean, List<Long> failed) {}

    private DurabilityMain() {}

    public static void main(String[] arguments) {
        long count = arguments.length > 0 ? Long.parseLong(arguments[0]) : 100;
        boolean sound = true;
        System.out.println("| log.durability | crash | acknowledged (acks=all) | lost | unclean elections | crashes |");
        System.out.println("|---|---|---|---|---|---|");
        try (ErrorLog errors = new ErrorLog()) {
            for (boolean synced : new boolean[] {false, true}) {
                for (Machine.Crash crash : Machine.Crash.values()) {
                    for (boolean together : new boolean[] {false, true}) {
                        Row row = row(new Trial(synced, crash, together), count, errors);
                        sound &= row.failed().isEmpty();
                        System.out.printf(
                                "| %s | %s, %s | %d | %d | %d | %d |%n",
                                synced ? "fsync" : "replicated",
                                crash == Machine.Crash.PROCESS ? "of the process" : "of the power",
                                together ? "all brokers at once" : "one broker at a time",
                                row.acknowledged(),
                                row.lost(),
                                row.unclean(),
                                row.faults());
                        if (!row.failed().isEmpty()) {
                            System.out.println("FAILED: " + row.failed());
                        }
                    }
                }
            }
        }
        System.exit(sound ? 0 : 1);
    }

    private static Row row(Trial trial, long count, ErrorLog errors) {
        long faults = 0;
        long acknowledged = 0;
        long lost = 0;
        long unclean = 0;
        List<Long> failed = new ArrayList<>();
        for (long seed = 1; seed <= count; seed++) {
            Simulation simulation = new Simulation(seed, trial);
            errors.watch(simulation);
            Simulation.Outcome outcome = simulation.run(0);
            faults += outcome.faults();
            acknowledged += outcome.acknowledgedByAll();
            lost += outcome.lostBatches();
            unclean += outcome.uncleanElections();
            if (outcome.breach() != null) {
                failed.add(seed);
                System.err.println("seed " + seed + " " + trial + ": " + outcome.breach());
            }
        }
        return new Row(faults, acknowledged, lost, unclean, failed);
    }
}
