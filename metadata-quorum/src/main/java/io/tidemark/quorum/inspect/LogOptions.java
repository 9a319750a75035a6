package io.tidemark.quorum.inspect;

import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.quorum.files.DirectorySource;
import io.tidemark.quorum.files.MetadataSource;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Where the log is and how to show it: what all commands of the tool take. */
final class LogOptions {
    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "a controller's directory (of a running one, too); verify takes several")
    private List<Path> directories = new ArrayList<>();

    @Option(names = "--controllers", description = "a running cluster: all controllers, as ID@HOST:PORT,...")
    private String controllers;

    @Option(names = "--cluster-id", paramLabel = "ID", description = "of the running cluster")
    private String clusterId;

    @Option(names = "--controller", paramLabel = "N", description = "ask that one; default: the first that answers")
    private Integer controller;

    @Option(names = "--rpc", defaultValue = "grpc", description = "transport of the quorum, grpc or netty")
    private String rpc;

    @Option(names = "--json", description = "for programs (docs/METADATA-LOG.md has the schema)")
    private boolean json;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    Output output() {
        MetadataLogMain main = (MetadataLogMain) command.root().userObject();
        return new Output(main.out(), main.err(), json, main.outTerminal(), main.errTerminal());
    }

    /** The one source that was named. */
    MetadataSource open(Output output) throws IOException {
        if (directories.size() > 1) {
            throw usage("--dir is taken once here");
        }
        return directories.isEmpty() ? live(output) : new DirectorySource(directories.get(0), output::finding);
    }

    /** All sources that were named; of a running cluster, all controllers that answer, or the one that was named. */
    List<MetadataSource> openAll(Output output) throws IOException {
        List<MetadataSource> sources = new ArrayList<>();
        for (Path directory : directories) {
            sources.add(new DirectorySource(directory, output::finding));
        }
        if (controllers != null && controller != null) {
            sources.add(live(output));
        } else if (controllers != null) {
            sources.addAll(LiveSource.connectAll(voters(), requiredClusterId(), transport(), output));
        }
        if (sources.isEmpty()) {
            throw usage("name a source: --dir, or --controllers with --cluster-id");
        }
        return sources;
    }

    LiveSource live(Output output) throws IOException {
        if (controllers == null) {
            throw usage("name a source: --dir, or --controllers with --cluster-id");
        }
        return LiveSource.connect(voters(), requiredClusterId(), transport(), controller, output);
    }

    ParameterException usage(String what) {
        return new ParameterException(command.commandLine(), what);
    }

    Point point(String option, String text, Moments moments) {
        try {
            return text == null ? null : Point.parse(text, moments.zone());
        } catch (IllegalArgumentException e) {
            throw usage(option + ": " + e.getMessage());
        }
    }

    private String requiredClusterId() {
        if (clusterId == null) {
            throw usage("--controllers needs --cluster-id");
        }
        return clusterId;
    }

    private List<QuorumVoter> voters() {
        try {
            return QuorumVoter.parseList(controllers);
        } catch (IllegalArgumentException e) {
            throw usage("--controllers: " + e.getMessage());
        }
    }

    private QuorumRpc transport() {
        try {
            return QuorumRpc.valueOf(rpc.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw usage("--rpc: expected grpc or netty");
        }
    }

    /** One line, for what went wrong while a command ran. */
    static int failed(Exception problem, CommandLine command, CommandLine.ParseResult parsed) {
        PrintStream err = ((MetadataLogMain) command.getCommandSpec().root().userObject()).err();
        err.println("metadata-log: " + words(problem));
        return 1;
    }

    /** The message of an error about a file is often only its name. */
    private static String words(Exception problem) {
        if (problem instanceof NoSuchFileException missing) {
            return missing.getMessage() + ": there is no such file or folder";
        } else if (problem instanceof AccessDeniedException denied) {
            return denied.getMessage() + ": this user may not do that there";
        } else if (problem instanceof FileSystemException && ((FileSystemException) problem).getReason() == null) {
            return problem.toString();
        }
        return problem instanceof IOException ? problem.getMessage() : problem.toString();
    }
}
