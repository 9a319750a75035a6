package io.tidemark.broker.explore;

import io.tidemark.model.metadata.Floor;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A list of moves as a scenario: each as the command of docs/SCENARIOS.md that does it, and below a line what has changed
 * by it.
 */
final class Story {
    /** The first entry that a scenario counts. */
    private static final int FIRST_ENTRY = 20;

    private final Cluster cluster;
    private final StringBuilder text = new StringBuilder();
    /** Names of proposals and fetches on their way, by message; sent again it is another. */
    private final Map<Integer, List<String>> names = new HashMap<>();

    private final Map<Integer, Integer> entries = new HashMap<>();
    /** What the move at hand has sent. */
    private final List<String> sends = new ArrayList<>();

    /** Broker epochs as a scenario counts them. */
    private final Map<Long, Integer> epochs = new HashMap<>();

    private int entry = FIRST_ENTRY - 1;
    private int proposals;
    private int fetches;

    private Story(Cluster cluster) {
        this.cluster = cluster;
    }

    static String of(Cluster cluster, Bounds bounds, Explorer.Outcome outcome) {
        Story story = new Story(cluster);
        story.tell(bounds, outcome);
        return story.text.toString();
    }

    private void tell(Bounds bounds, Explorer.Outcome outcome) {
        line("# " + outcome.breach());
        line("# Found by exploration with " + bounds);
        line("");
        line("cluster brokers=[1,2,3] lag=" + Broker.LAG_MS);
        line("topic replicas=[1,2,3] min=" + bounds.get("min") + " isr=" + list(bounds.isr()));
        line("learn all");
        int[] state = cluster.first();
        entries.put(cluster.images.first, entry);
        for (int id = 1; id <= Cluster.BROKERS; id++) {
            epochs.put(cluster.images.broker(cluster.images.first, id).epoch(), 10 + id);
        }
        line("----");
        for (int id = 1; id <= Cluster.BROKERS; id++) {
            line(broker(Draft.of(state), id));
        }
        for (int i = 0; i < outcome.trace().size(); i++) {
            Draft before = Draft.of(state);
            Draft after = Draft.of(state);
            int move = outcome.trace().get(i);
            line("");
            String problem = null;
            try {
                cluster.make(after, move);
            } catch (RuntimeException e) {
                problem = e instanceof Breach ? e.getMessage() : e.toString();
            }
            command(before, after, move);
            line("----");
            changes(before, after);
            if (problem != null) {
                line("# " + problem);
            }
            state = after.pack();
        }
    }

    private void line(String words) {
        text.append(words).append('\n');
    }

    private static String list(List<Integer> members) {
        return members.toString().replace(" ", "");
    }

    private void command(Draft before, Draft after, int move) {
        int what = Move.what(move);
        switch (Move.kind(move)) {
            case LEARN -> line("learn " + what + upto(before, before.image(Move.more(move))));
            case FETCH -> line("fetch " + what);
            case FETCH_UNANSWERED -> {
                String name = "f" + ++fetches;
                line("send " + what + " as=" + name);
                line("serve " + name);
            }
            case FETCH_LATE -> {
                String name = "f" + ++fetches;
                line("send " + what + " as=" + name);
                line("session " + what);
                nameNew(before, after, name);
            }
            case FETCH_ARRIVES -> line("serve " + taken(before, what));
            case APPEND -> line("append " + what + " count=1");
            case TICK -> line("pass 1  # deadlines of " + what);
            case LAPSE -> line("pass " + (Broker.LAG_MS + 1) + "  # for " + what);
            case POWER_LOSS -> {
                line("power-loss " + what + "  # left: " + Move.more(move) + " records");
            }
            case CRASH -> line("crash " + what);
            case STOP -> {
                command("shutdown " + what, before, after);
                line("stop " + what);
            }
            case START -> {
                line("start " + what);
                command("register " + what, before, after);
                epochs.put(cluster.images.broker(after.image(), what).epoch(), entry);
                line("learn " + what);
            }
            case FENCE -> command("fence " + what, before, after);
            case FENCE_BOTH -> command("fence [" + what + "," + Move.more(move) + "]", before, after);
            case UNFENCE -> command("unfence " + what, before, after);
            case ELECT_PREFERRED -> command("elect", before, after);
            case MIN_ISR -> command("config min.insync.replicas=" + what, before, after);
            case DECIDE -> decide(before, after, what, false);
            case DECIDE_NOW_AND_AGAIN -> decide(before, after, what, true);
            case GIVE_UP -> {
                String name = taken(before, what);
                line("lose " + name + "  # it may still arrive");
                nameNew(before, after, name);
            }
            case LOSE -> line("lose " + taken(before, what));
            case ANSWER -> line("answer " + taken(before, what));
        }
        for (int at = 0; at < after.messageCount; at++) {
            if (cluster.message(after.message(at)) instanceof Message.Request request
                    && count(after, after.message(at)) > named(after.message(at))) {
                String name = "a" + ++proposals;
                names.computeIfAbsent(after.message(at), key -> new ArrayList<>())
                        .add(name);
                sends.add(request.sender() + ": sends " + name + ": "
                        + words(request.command().partitions().get(0)));
            }
        }
    }

    private void decide(Draft before, Draft after, int at, boolean again) {
        String name = taken(before, at);
        command("arrive " + name + (again ? "  # and will again" : ""), before, after);
        nameNew(before, after, name);
    }

    private void command(String words, Draft before, Draft after) {
        line(words);
        entry++;
        if (before.image() != after.image()) {
            entries.put(after.image(), entry);
        }
    }

    private String upto(Draft state, int image) {
        return image == state.image() ? "" : " upto=" + entries.get(image);
    }

    /** The name of what was on its way there and is not any more. */
    private String taken(Draft before, int at) {
        List<String> known = names.get(before.message(at));
        return known == null || known.isEmpty() ? "?" : known.remove(0);
    }

    /** What is on its way now and was not before is called that. */
    private void nameNew(Draft before, Draft after, String name) {
        for (int at = 0; at < after.messageCount; at++) {
            int message = after.message(at);
            if (count(after, message) > count(before, message) && count(after, message) > named(message)) {
                names.computeIfAbsent(message, key -> new ArrayList<>()).add(name);
            }
        }
    }

    private int named(int message) {
        return names.getOrDefault(message, List.of()).size();
    }

    private static int count(Draft state, int message) {
        int count = 0;
        for (int at = 0; at < state.messageCount; at++) {
            count += state.message(at) == message ? 1 : 0;
        }
        return count;
    }

    private void changes(Draft before, Draft after) {
        sends.forEach(this::line);
        sends.clear();
        if (before.image() != after.image()) {
            line(metadata(cluster.images.partition(after.image())));
        }
        for (int id = 1; id <= Cluster.BROKERS; id++) {
            String now = broker(after, id);
            if (!now.equals(broker(before, id))) {
                line(now);
            }
        }
    }

    private static String metadata(PartitionState state) {
        return "metadata: " + state + " floor=" + words(state.floor());
    }

    private static String words(Floor floor) {
        return floor.kind() == Floor.Kind.KNOWN
                ? floor.offset() + "@" + floor.epoch() + (floor.exact() ? " exact" : " inexact")
                : floor.kind().name().toLowerCase(Locale.ROOT);
    }

    private String words(IsrProposal proposal) {
        return proposal.kind().name().toLowerCase(Locale.ROOT) + " LE=" + proposal.leaderEpoch() + " PE="
                + proposal.partitionEpoch() + " ISR="
                + proposal.isr().stream()
                        .map(member -> member.brokerId() + "@" + epochs.getOrDefault(member.brokerEpoch(), -1))
                        .toList()
                + " floor " + words(proposal.floor());
    }

    private String broker(Draft state, int id) {
        if (!state.up(id)) {
            Down down = cluster.down(state, id);
            return id + ": down, log \"" + down.log() + "\"";
        }
        Brokers.Face face = cluster.brokers.face(state.broker(id));
        String role = face.leads() ? "leads" : face.ask() >= 0 ? "follows " + face.asked() : "idle";
        return id + ": " + role + " LE=" + face.leaderEpoch() + " HW=" + face.mark() + " log \"" + face.log() + "\""
                + (face.isr().isEmpty() ? "" : " " + brief(face.isr()));
    }

    /** Without the proposal, which was told when it was sent. */
    private static String brief(String isr) {
        return isr.replaceAll(", proposal=[^\\]]*", "");
    }
}
