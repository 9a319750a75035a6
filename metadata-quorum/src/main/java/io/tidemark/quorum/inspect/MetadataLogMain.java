package io.tidemark.quorum.inspect;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Reads the metadata log of a running cluster or of a controller's directory, and answers questions about it. */
@Command(
        name = "metadata-log",
        mixinStandardHelpOptions = true,
        description = "Reads the metadata log of a running cluster, or of a controller's directory.",
        subcommands = {
            DumpCommand.class,
            ShowCommand.class,
            DiffCommand.class,
            WhyCommand.class,
            WatchCommand.class,
            ExportCommand.class,
            VerifyCommand.class
        },
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {"0:done, and no damage was met", "1:damage was met, or it could not be done", "2:usage"})
public final class MetadataLogMain implements Runnable {
    private final PrintStream out;
    private final PrintStream err;
    private final boolean outTerminal;
    private final boolean errTerminal;

    private MetadataLogMain(PrintStream out, PrintStream err, boolean outTerminal, boolean errTerminal) {
        this.out = out;
        this.err = err;
        this.outTerminal = outTerminal;
        this.errTerminal = errTerminal;
    }

    /** The script that starts this knows what is a terminal, and says so in properties. */
    public static void main(String[] arguments) {
        PrintStream out = new PrintStream(
                new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16),
                false,
                StandardCharsets.UTF_8);
        int status = run(
                out,
                System.err,
                Boolean.getBoolean("tidemark.terminal.out"),
                Boolean.getBoolean("tidemark.terminal.err"),
                arguments);
        out.flush();
        // Threads of the network client may still be there.
        System.exit(status);
    }

    /** Returns the exit status. */
    static int run(PrintStream out, PrintStream err, boolean outTerminal, boolean errTerminal, String... arguments) {
        CommandLine command = new CommandLine(new MetadataLogMain(out, err, outTerminal, errTerminal));
        command.setOut(new PrintWriter(out, true, StandardCharsets.UTF_8));
        command.setErr(new PrintWriter(err, true, StandardCharsets.UTF_8));
        command.setExecutionExceptionHandler(LogOptions::failed);
        command.setUsageHelpLongOptionsMaxWidth(30);
        return command.execute(arguments);
    }

    PrintStream out() {
        return out;
    }

    PrintStream err() {
        return err;
    }

    boolean outTerminal() {
        return outTerminal;
    }

    boolean errTerminal() {
        return errTerminal;
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(
                new CommandLine(this), "expected a command: dump, show, diff, why, watch, export or verify");
    }
}
