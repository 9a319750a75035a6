package io.tidemark.model.config;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The command that gives a node's data directories their identity before its first start. */
public final class FormatMain {
    private static final String USAGE = String.join(
            System.lineSeparator(),
            "usage: format --config FILE [--config FILE ...] --cluster-id ID [--ignore-formatted]",
            "              [--joining | --awaiting-image]",
            "         writes meta.properties into the data directories that each FILE names",
            "         --joining: of controllers that a working quorum is to take in when they start",
            "         --awaiting-image: of controllers that do not start before they are given an image",
            "       random-cluster-id",
            "         prints a fresh id for a new cluster");

    private FormatMain() {}

    public static void main(String[] arguments) {
        System.exit(run(List.of(arguments), System.out, System.err));
    }

    /** Returns the exit status: 0 done, 1 refused, 2 not understood. */
    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        Deque<String> rest = new ArrayDeque<>(arguments);
        String command = rest.isEmpty() ? "" : rest.removeFirst();
        try {
            if (command.equals("--help") || command.equals("-h")) {
                out.println(USAGE);
                return 0;
            }
            if (command.equals("random-cluster-id") && rest.isEmpty()) {
                out.println(Uuids.random());
                return 0;
            }
            if (command.equals("format")) {
                Options options = Options.parse(rest);
                options.configs.forEach(config -> format(config, options, out));
                return 0;
            }
        } catch (ConfigException | DirectoryException e) {
            err.println(e.getMessage());
            return 1;
        } catch (IllegalArgumentException e) {
            err.println(e.getMessage());
        }
        err.println(USAGE);
        return 2;
    }

    private static void format(Path config, Options options, PrintStream out) {
        // What is wrong with process.roles is reported by the role's own reading below.
        ConfigReader reader = ConfigReader.load(config);
        Set<NodeRole> roles = reader.required("process.roles", Set.of(NodeRole.BROKER), NodeRole::parseList);
        int nodeId = 0;
        Set<Path> directories = new LinkedHashSet<>();
        Path log = null;
        if (roles.contains(NodeRole.CONTROLLER)) {
            ControllerConfig controller = ControllerConfig.from(ConfigReader.load(config));
            nodeId = controller.nodeId();
            log = controller.directory();
            directories.add(log);
        }
        if (roles.contains(NodeRole.BROKER)) {
            BrokerConfig broker = BrokerConfig.from(ConfigReader.load(config));
            nodeId = broker.nodeId();
            directories.add(broker.directory());
        }
        for (Path directory : directories) {
            boolean written = NodeDirectory.format(
                    directory,
                    options.clusterId,
                    nodeId,
                    options.ignoreFormatted,
                    directory.equals(log) ? options.mark : Optional.empty());
            out.println((written ? "formatted " : "already formatted, left as it is: ") + directory + " for node "
                    + nodeId + " of cluster " + options.clusterId);
        }
    }

    /** The options of {@code format}; parsing throws IllegalArgumentException with what is wrong. */
    private record Options(List<Path> configs, String clusterId, boolean ignoreFormatted, Optional<String> mark) {
        static Options parse(Deque<String> rest) {
            List<Path> configs = new ArrayList<>();
            String clusterId = null;
            boolean ignoreFormatted = false;
            Optional<String> mark = Optional.empty();
            while (!rest.isEmpty()) {
                String option = rest.removeFirst();
                switch (option) {
                    case "--config" -> configs.add(Path.of(value(option, rest)));
                    case "--cluster-id" -> clusterId = Uuids.require(value(option, rest));
                    case "--ignore-formatted" -> ignoreFormatted = true;
                    case "--joining" -> mark = Optional.of(NodeDirectory.JOINING);
                    case "--awaiting-image" -> mark = Optional.of(NodeDirectory.AWAITING_IMAGE);
                    default -> throw new IllegalArgumentException("unknown option " + option);
                }
            }
            if (configs.isEmpty() || clusterId == null) {
                throw new IllegalArgumentException("--config and --cluster-id must be given");
            }
            return new Options(List.copyOf(configs), clusterId, ignoreFormatted, mark);
        }

        private static String value(String option, Deque<String> rest) {
            if (rest.isEmpty()) {
                throw new IllegalArgumentException(option + " needs a value");
            }
            return rest.removeFirst();
        }
    }
}
