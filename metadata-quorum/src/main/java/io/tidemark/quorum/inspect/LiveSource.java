package io.tidemark.quorum.inspect;

import io.tidemark.model.codec.QueryCodec;
import io.tidemark.model.codec.QueryCodec.QueryFailedException;
import io.tidemark.model.codec.UnreadableException;
import io.tidemark.model.config.QuorumRpc;
import io.tidemark.model.config.QuorumVoter;
import io.tidemark.model.metadata.ClusterImage;
import io.tidemark.model.metadata.QuorumQuery;
import io.tidemark.model.metadata.QuorumQuery.HistoryAnswer;
import io.tidemark.model.metadata.QuorumQuery.KeyframeRef;
import io.tidemark.model.metadata.QuorumQuery.StoredEntry;
import io.tidemark.quorum.files.Finding;
import io.tidemark.quorum.files.MetadataSource;
import io.tidemark.quorum.files.RawEntry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A running controller, asked for its log page by page: it reads its own files, on a thread that nothing else waits for.
 * What is not committed there yet is left out.
 */
final class LiveSource implements MetadataSource {
    private static final long TIMEOUT_MS = 10_000;
    private static final int PAGE_BYTES = 2 * 1024 * 1024;

    /** How long a poll waits for news; below the timeout. */
    private static final int WAIT_MS = 5_000;

    /** Between polls where they cannot wait at the controller. */
    private static final int SHORT_POLL_MS = 100;

    private final ControllerClient client;
    private final QuorumRpc rpc;
    private final Output output;
    private volatile HistoryAnswer latest;

    private LiveSource(ControllerClient client, QuorumRpc rpc, Output output) {
        this.client = client;
        this.rpc = rpc;
        this.output = output;
    }

    /**
     * The controller of that id, or if it is null the first that answers. Throws IOException with every controller's
     * reason if none does.
     */
    static LiveSource connect(
            List<QuorumVoter> controllers, String clusterId, QuorumRpc rpc, Integer wanted, Output output)
            throws IOException {
        List<String> problems = new ArrayList<>();
        for (QuorumVoter controller : controllers) {
            if (wanted == null || wanted == controller.id()) {
                LiveSource source = tryOne(controller, controllers, clusterId, rpc, output, problems);
                if (source != null) {
                    return source;
                }
            }
        }
        throw new IOException(problems.isEmpty() ? "there is no controller " + wanted : String.join("; ", problems));
    }

    /** All that answer; those that do not are told. Throws IOException if none does. */
    static List<LiveSource> connectAll(List<QuorumVoter> controllers, String clusterId, QuorumRpc rpc, Output output)
            throws IOException {
        List<String> problems = new ArrayList<>();
        List<LiveSource> sources = new ArrayList<>();
        for (QuorumVoter controller : controllers) {
            LiveSource source = tryOne(controller, controllers, clusterId, rpc, output, problems);
            if (source != null) {
                sources.add(source);
            }
        }
        if (sources.isEmpty()) {
            throw new IOException(String.join("; ", problems));
        }
        problems.forEach(output::remark);
        return sources;
    }

    private static LiveSource tryOne(
            QuorumVoter controller,
            List<QuorumVoter> all,
            String clusterId,
            QuorumRpc rpc,
            Output output,
            List<String> problems)
            throws IOException {
        ControllerClient client = new ControllerClient(controller, all, clusterId, rpc, TIMEOUT_MS);
        LiveSource source = new LiveSource(client, rpc, output);
        try {
            source.page(Long.MAX_VALUE);
            return source;
        } catch (IOException | QueryFailedException | UnreadableException e) {
            problems.add("controller " + controller.id() + " (" + controller.address() + ") does not answer: "
                    + ControllerClient.firstLine(e));
            client.close();
            return null;
        }
    }

    @Override
    public String name() {
        return "controller " + client.controller().id() + " ("
                + client.controller().address() + ")";
    }

    private HistoryAnswer page(long from) throws IOException {
        latest = QueryCodec.decodeHistory(client.ask(new QuorumQuery.ReadHistory(from, PAGE_BYTES)));
        for (String finding : latest.findings()) {
            output.finding(Finding.damage(null, -1, name() + ": " + finding));
        }
        return latest;
    }

    @Override
    public List<Keyframe> keyframes() {
        return latest.keyframes().stream().<Keyframe>map(Remote::new).toList();
    }

    private final class Remote implements Keyframe {
        private final KeyframeRef ref;

        Remote(KeyframeRef ref) {
            this.ref = ref;
        }

        @Override
        public long term() {
            return ref.term();
        }

        @Override
        public long index() {
            return ref.index();
        }

        @Override
        public ClusterImage load() throws IOException {
            try {
                return QueryCodec.decodeKeyframe(client.ask(new QuorumQuery.ReadKeyframe(ref.index())));
            } catch (QueryFailedException e) {
                output.finding(Finding.note(null, -1, name() + ": " + e.getMessage()));
                return null;
            }
        }
    }

    @Override
    public QuorumQuery.Recovery recovery() throws IOException {
        QuorumQuery.Poll poll = new QuorumQuery.Poll(committed() + 1, 0, 1, QuorumQuery.Poll.ANY_QUORUM);
        QuorumQuery.QuorumIdentity quorum =
                QueryCodec.decodePoll(client.ask(poll)).quorum();
        if (quorum == null) {
            throw new IOException(name() + " does not tell whether its quorum was made anew");
        }
        return quorum.recovery();
    }

    @Override
    public long committed() {
        return latest.committed();
    }

    @Override
    public void read(long from, long to, Visitor visitor) throws IOException {
        long next = from;
        boolean first = true;
        while (next <= to) {
            HistoryAnswer page = page(next);
            if (page.entries().isEmpty()) {
                return;
            }
            for (StoredEntry entry : page.entries()) {
                if (!first && entry.index() > next && next <= page.committed()) {
                    gap(next, entry.index() - 1, page, visitor);
                }
                if (entry.index() > to || entry.index() > page.committed()) {
                    return;
                }
                first = false;
                if (!visitor.entry(raw(entry))) {
                    return;
                }
                next = entry.index() + 1;
            }
        }
    }

    private static void gap(long first, long last, HistoryAnswer page, Visitor visitor) throws IOException {
        visitor.gap(first, last, page.keyframes().stream().anyMatch(keyframe -> keyframe.index() == last));
    }

    private static RawEntry raw(StoredEntry entry) throws IOException {
        RawEntry.Kind[] kinds = RawEntry.Kind.values();
        if (entry.kind() < 0 || entry.kind() >= kinds.length) {
            throw new IOException("the controller sent an entry of kind " + entry.kind() + ", unknown to this version");
        }
        return new RawEntry(
                entry.term(), entry.index(), kinds[entry.kind()], entry.bytes(), entry.commitIndex(), null, -1);
    }

    /** Waits for a metadata entry at that index or behind it, for a few seconds; whether there is one. */
    boolean await(long index) throws IOException {
        if (rpc == QuorumRpc.GRPC) {
            return news(index, WAIT_MS);
        }
        // A controller has one thread for a connection of that transport: it must not wait for us.
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WAIT_MS);
        boolean news = news(index, 0);
        while (!news && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(SHORT_POLL_MS));
            news = news(index, 0);
        }
        return news;
    }

    private boolean news(long index, int waitMs) throws IOException {
        QuorumQuery.PollAnswer answer = QueryCodec.decodePoll(client.ask(new QuorumQuery.Poll(index, waitMs, 1)));
        return answer.image() != null || !answer.entries().isEmpty();
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
