package io.tidemark.broker.drill.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.broker.drill.DrillException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** What the exit status of a drill's runner says. */
class DrillMainTest {
    private static final int NOT_RUN = 3;

    private static final String DRILL = """
            name: small
            promise: Nothing is lost.
            cluster: {topics: [{name: t}]}
            workload: {producers: [{name: p, acks: all}]}
            steps: []
            length: 1s
            """;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(
            classes = {
                UncheckedIOException.class,
                NullPointerException.class,
                OutOfMemoryError.class,
                StackOverflowError.class
            })
    void aRunnerThatBreaksDownSaysNothingOfWhatHeld(Class<? extends Throwable> what) {
        Callable<Integer> broken = () -> {
            if (what == UncheckedIOException.class) {
                throw new UncheckedIOException(new java.io.IOException("broken"));
            }
            DrillMainTest.<RuntimeException>raise(what.getDeclaredConstructor().newInstance());
            return 0;
        };
        assertThat(DrillMain.status(new CommandLine(CommandSpec.wrapWithoutInspection(broken))))
                .isEqualTo(NOT_RUN);
    }

    @Test
    void aThreadThatBreaksDownIsNotOverlooked() throws Exception {
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        try {
            Breakdowns breakdowns = Breakdowns.watch();
            breakdowns.check();
            Thread reader =
                    new Thread(() -> DrillMainTest.<RuntimeException>raise(new OutOfMemoryError("broken")), "reader");
            reader.start();
            reader.join();
            assertThatThrownBy(breakdowns::check)
                    .isInstanceOf(DrillException.class)
                    .hasMessageContaining("reader: java.lang.OutOfMemoryError");
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    @Test
    void aFileThatCannotBeReadIsNotRun() {
        assertThat(DrillMain.status(
                        new CommandLine(new DrillMain()),
                        "--list",
                        directory.resolve("none.yaml").toString()))
                .isEqualTo(NOT_RUN);
    }

    /** There is no script to make a cluster with. */
    @Test
    void ofARunThatComesToNoVerdictNoReportOfAnotherRunIsLeft() throws Exception {
        Path file = Files.writeString(directory.resolve("small.yaml"), DRILL);
        for (String kind : new String[] {"txt", "json", "html"}) {
            Files.writeString(directory.resolve("small." + kind), "HELD");
        }
        int status = DrillMain.status(
                new CommandLine(new DrillMain()),
                "--scripts",
                directory.resolve("scripts").toString(),
                "--work",
                Files.createDirectory(directory.resolve("work")).toString(),
                "--report",
                directory.toString(),
                file.toString());
        assertThat(status).isEqualTo(NOT_RUN);
        assertThat(directory.resolve("small.txt")).doesNotExist();
        assertThat(directory.resolve("small.json")).doesNotExist();
        assertThat(directory.resolve("small.html")).doesNotExist();
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable what) throws T {
        throw (T) what;
    }
}
