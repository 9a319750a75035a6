package io.tidemark.quorum.app;

import io.tidemark.model.codec.Json;
import io.tidemark.model.config.DirectoryException;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.config.Uuids;
import io.tidemark.model.metadata.QuorumQuery.Member;
import io.tidemark.model.metadata.QuorumQuery.MembersAnswer;
import io.tidemark.quorum.ratis.NewQuorum;
import io.tidemark.quorum.ratis.QuorumAdmin;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Who the members of the quorum are, and changes of them, on a running cluster. */
@Command(
        name = "quorum",
        mixinStandardHelpOptions = true,
        description = "Shows and changes the members of the quorum.",
        exitCodeListHeading = "Exit status:%n",
        exitCodeList = {"0:done", "1:refused or not possible, with the reason", "2:usage"})
public final class QuorumMain {
    private static final long PATIENCE_MS = 10_000;

    private final PrintStream out;
    private final PrintStream err;

    private QuorumMain(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    public static void main(String[] arguments) {
        System.exit(run(System.out, System.err, arguments));
    }

    /** Returns the exit status. */
    static int run(PrintStream out, PrintStream err, String... arguments) {
        CommandLine line = new CommandLine(new QuorumMain(out, err));
        line.setExecutionExceptionHandler((problem, command, parsed) -> {
            if (problem instanceof IOException
                    || problem instanceof IllegalArgumentException
                    || problem instanceof DirectoryException) {
                err.println(problem.getMessage());
                return 1;
            }
            throw problem;
        });
        return line.execute(arguments);
    }

    /** How the quorum is reached. */
    static final class Where {
        @Option(names = "--controllers", required = true, description = "controllers, as ID@HOST:PORT,...")
        private String controllers;

        @Option(names = "--cluster-id", required = true)
        private String clusterId;

        @Option(names = "--rpc", defaultValue = "grpc", description = "transport of the quorum, grpc or netty")
        private String rpc;

        QuorumAdmin open() {
            return new QuorumAdmin(
                    QuorumVoter.parseList(controllers),
                    clusterId,
                    QuorumRpc.valueOf(rpc.toUpperCase(Locale.ROOT)),
                    PATIENCE_MS);
        }
    }

    @Command(name = "members", mixinStandardHelpOptions = true, description = "the members, and how far they are")
    int members(@Mixin Where where, @Option(names = "--json") boolean json) throws IOException {
        try (QuorumAdmin quorum = where.open()) {
            MembersAnswer members = quorum.members();
            if (json) {
                out.println(Json.of(row(members)));
            } else {
                print(members);
            }
            return 0;
        }
    }

    private void print(MembersAnswer members) {
        out.printf(
                "controller %d acts in term %d, log committed up to %d%n%n",
                members.leaderId(), members.term(), members.commitIndex());
        out.printf("%-6s %-22s %-8s %12s  %s%n", "node", "address", "role", "log end", "state");
        for (Member member : members.voters()) {
            out.printf(
                    "%-6d %-22s %-8s %12s  %s%n",
                    member.id(),
                    member.address(),
                    member.id() == members.leaderId() ? "acting" : "follows",
                    member.endIndex() < 0 ? "-" : member.endIndex(),
                    state(members, member));
        }
    }

    private static String state(MembersAnswer members, Member member) {
        if (QuorumAdmin.isThere(members, member)) {
            return "has the log";
        }
        return member.seenMs() < 0 ? "not seen in this term" : "behind, or away";
    }

    private static Map<String, Object> row(MembersAnswer members) {
        List<Object> rows = new ArrayList<>();
        for (Member member : members.voters()) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("node", member.id());
            row.put("address", member.address());
            row.put("endIndex", member.endIndex());
            row.put("seenMs", member.seenMs());
            row.put("caughtUpMs", member.caughtUpMs());
            row.put("hasLog", QuorumAdmin.isThere(members, member));
            rows.add(row);
        }
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("acting", members.leaderId());
        all.put("term", members.term());
        all.put("commitIndex", members.commitIndex());
        all.put("members", rows);
        return all;
    }

    @Command(
            name = "remove",
            mixinStandardHelpOptions = true,
            description = "lets a member go; if it acts, another one takes over first")
    int remove(
            @Mixin Where where,
            @Parameters(paramLabel = "ID") int id,
            @Option(names = "--force", description = "although too few of the others are there") boolean force)
            throws IOException {
        try (QuorumAdmin quorum = where.open()) {
            out.println(
                    quorum.remove(id, force)
                            ? "controller " + id + " is no member any more"
                            : "controller " + id + " was no member");
            return 0;
        }
    }

    @Command(
            name = "transfer",
            mixinStandardHelpOptions = true,
            description = "makes another member the acting controller, by default the one that is furthest")
    int transfer(@Mixin Where where, @Parameters(paramLabel = "ID", arity = "0..1", defaultValue = "-1") int to)
            throws IOException {
        try (QuorumAdmin quorum = where.open()) {
            out.println("controller " + quorum.transfer(to).leaderId() + " is the acting one");
            return 0;
        }
    }

    @Command(
            name = "may-join",
            mixinStandardHelpOptions = true,
            description = {
                "Whether a controller with an empty directory may join: says 'member' or 'new'.",
                "Refused for a member while another one is away or has not got the whole log."
            })
    int mayJoin(@Mixin Where where, @Parameters(paramLabel = "ID") int id) throws IOException {
        try (QuorumAdmin quorum = where.open()) {
            MembersAnswer members = quorum.members();
            boolean member = QuorumAdmin.has(members, id);
            List<Integer> missing = members.voters().stream()
                    .filter(other -> other.id() != id && !QuorumAdmin.isThere(members, other))
                    .map(Member::id)
                    .toList();
            if (member && !missing.isEmpty()) {
                err.println("controller " + id + " is a member whose log is gone, and " + missing
                        + " is not there or has not got the whole log: with two copies missing at once, what is"
                        + " committed may be in none that is left. Bring " + missing + " back first");
                return 1;
            }
            out.println(member ? "member" : "new");
            return 0;
        }
    }

    @Command(
            name = "check-image",
            mixinStandardHelpOptions = true,
            description = "whether controllers can begin with that image; changes nothing")
    int checkImage(@Parameters(paramLabel = "FILE") Path image) throws IOException {
        NewQuorum.Beginning from = NewQuorum.Beginning.read(image, Uuids.random());
        out.println(image + " is whole: the state at index " + from.index() + " (term " + from.term() + ")");
        return 0;
    }

    @Command(
            name = "new-quorum",
            mixinStandardHelpOptions = true,
            description = "fills formatted directories of controllers from an image, after a majority was lost")
    int newQuorum(
            @Option(names = "--image", required = true, paramLabel = "FILE") Path image,
            @Option(names = "--controllers", required = true) String controllers,
            @Option(names = "--cluster-id", required = true) String clusterId,
            @Option(names = "--directory", required = true, paramLabel = "ID=PATH") Map<Integer, Path> directories)
            throws IOException {
        List<QuorumVoter> voters = QuorumVoter.parseList(controllers);
        for (QuorumVoter voter : voters) {
            if (!directories.containsKey(voter.id())) {
                err.println("no --directory of controller " + voter.id());
                return 2;
            }
        }
        NewQuorum.Beginning from = NewQuorum.Beginning.read(image, Uuids.random());
        for (QuorumVoter voter : voters) {
            NewQuorum.prepare(directories.get(voter.id()), voter.id(), clusterId);
        }
        for (QuorumVoter voter : voters) {
            NewQuorum.write(directories.get(voter.id()), voter.id(), clusterId, voters, from);
            out.println("controller " + voter.id() + " begins with the image at index " + from.index() + " (term "
                    + from.term() + ")");
        }
        return 0;
    }
}
