package io.tidemark.broker.health;

import io.tidemark.model.codec.Json;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.health.HttpProbe;
import java.io.PrintStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Why a partition stands as it does, as the brokers of a live cluster tell it (B11). It needs no controller. */
@Command(
        name = "why",
        mixinStandardHelpOptions = true,
        description =
                "Asks every broker about a partition: what holds its high watermark, why a replica is not in the ISR,"
                        + " what is pending, what was refused.",
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {"0:its leader has answered", "1:no leader has answered", "2:usage"})
public final class WhyMain implements Callable<Integer> {
    private static final List<String> ORDER =
            List.of("leader", "failed", "follower", "idle", "opening", "none", "unknown");

    @Option(
            names = "--brokers",
            required = true,
            paramLabel = "ID@HOST:PORT,...",
            description = "the brokers' ports for health and metrics")
    private String brokers;

    @Option(names = "--json", description = "for programs")
    private boolean json;

    @Parameters(index = "0", paramLabel = "TOPIC")
    private String topic;

    @Parameters(index = "1", paramLabel = "PARTITION")
    private int partition;

    @Spec
    private CommandSpec spec;

    private final PrintStream out;

    WhyMain(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] arguments) {
        System.exit(run(System.out, arguments));
    }

    /** Returns the exit status. */
    public static int run(PrintStream out, String... arguments) {
        return new CommandLine(new WhyMain(out)).execute(arguments);
    }

    @Override
    public Integer call() throws InterruptedException {
        String path = WhyPage.PATH + "?topic=" + URLEncoder.encode(topic, StandardCharsets.UTF_8) + "&partition="
                + partition + (json ? "&format=json" : "");
        List<HttpProbe.Reply> replies = new ArrayList<>(HttpProbe.ask(addresses(), path));
        replies.sort(Comparator.comparingInt(WhyMain::place));
        boolean led = replies.stream().anyMatch(reply -> role(reply).equals("leader"));
        if (json) {
            printJson(replies, led);
        } else {
            printText(replies, led);
        }
        return led ? 0 : 1;
    }

    private List<QuorumVoter> addresses() {
        try {
            return QuorumVoter.parseList(brokers);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--brokers: " + e.getMessage());
        }
    }

    private static String role(HttpProbe.Reply reply) {
        return reply.answered() ? reply.header(WhyPage.ROLE) : "";
    }

    private static int place(HttpProbe.Reply reply) {
        int place = ORDER.indexOf(role(reply));
        return place < 0 ? ORDER.size() : place;
    }

    private void printText(List<HttpProbe.Reply> replies, boolean led) {
        if (!led) {
            out.println("no broker that answers leads " + topic + "-" + partition);
        }
        for (HttpProbe.Reply reply : replies) {
            if (reply.answered()) {
                out.print(reply.body());
            } else {
                out.println("broker " + reply.node().id() + " does not answer: " + reply.problem());
            }
        }
    }

    private void printJson(List<HttpProbe.Reply> replies, boolean led) {
        StringBuilder rows = new StringBuilder();
        for (HttpProbe.Reply reply : replies) {
            rows.append(rows.length() == 0 ? "" : ",")
                    .append("{\"id\":")
                    .append(reply.node().id())
                    .append(",\"answered\":")
                    .append(reply.answered())
                    // What a broker says is JSON already.
                    .append(
                            reply.answered()
                                    ? ",\"why\":" + reply.body().strip()
                                    : ",\"problem\":" + Json.of(reply.problem()))
                    .append('}');
        }
        out.println("{\"topic\":" + Json.of(topic) + ",\"partition\":" + partition + ",\"leaderAnswered\":" + led
                + ",\"brokers\":[" + rows + "]}");
    }
}
