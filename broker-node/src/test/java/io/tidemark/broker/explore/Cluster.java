package io.tidemark.broker.explore;

import io.tidemark.broker.replica.ReplicaEvent;
import io.tidemark.model.metadata.BrokerState;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumCommand.AlterPartition;
import io.tidemark.model.metadata.QuorumCommand.BrokerRef;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal;
import io.tidemark.model.metadata.QuorumReply;
import io.tidemark.model.metadata.QuorumReply.AlteredPartitions;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * The cluster as a system of transitions: which moves there are in a state, and what each makes of it. Three brokers with a
 * replica of one partition, the controllers, and what is on its way between them.
 */
final class Cluster {
    static final int BROKERS = 3;

    private static final int APPENDS = Bounds.BUDGETS.indexOf("A");
    private static final int POWER_LOSSES = Bounds.BUDGETS.indexOf("P");
    private static final int CRASHES = Bounds.BUDGETS.indexOf("C");
    private static final int STOPS = Bounds.BUDGETS.indexOf("S");
    private static final int FENCINGS = Bounds.BUDGETS.indexOf("F");
    private static final int ELECTIONS = Bounds.BUDGETS.indexOf("M");
    private static final int LAPSES = Bounds.BUDGETS.indexOf("T");
    private static final int LATE_FETCHES = Bounds.BUDGETS.indexOf("L");
    private static final int REPEATS = Bounds.BUDGETS.indexOf("D");
    private static final int MIN_ISRS = Bounds.BUDGETS.indexOf("N");

    final Images images;
    final Brokers brokers;
    private final Interned<Down> downs = new Interned<>();
    private final Interned<Message> messages = new Interned<>();
    private final Interned<Exposed> exposed = new Interned<>();
    private final Bounds bounds;
    private final int[] limits = new int[Bounds.BUDGETS.size()];
    private final int append;
    private final int tick;
    private final int lapse;

    Cluster(Bounds bounds) {
        this.bounds = bounds;
        for (int i = 0; i < limits.length; i++) {
            limits[i] = bounds.get(Bounds.BUDGETS.get(i));
        }
        this.images = new Images(bounds);
        this.brokers = new Brokers(images);
        this.append = brokers.input(new Input.Append());
        this.tick = brokers.input(new Input.Tick());
        this.lapse = brokers.input(new Input.Lapse());
    }

    /** All brokers run on empty logs and have learned the first metadata. */
    int[] first() {
        Draft draft = new Draft();
        draft.addImage(images.first);
        draft.exposed = exposed.of(Exposed.NOTHING);
        for (int id = 1; id <= BROKERS; id++) {
            long epoch = images.broker(images.first, id).epoch();
            start(draft, id, new Input.Start(id, epoch, RecordLog.EMPTY, 0));
        }
        settle(draft);
        return draft.pack();
    }

    // ---- which moves there are ----

    /** All moves that may lead somewhere. */
    void moves(Draft state, IntConsumer moves) {
        for (int id = 1; id <= BROKERS; id++) {
            boolean registered = state.up(id)
                    && brokers.face(state.broker(id)).epoch()
                            == images.broker(state.image(), id).epoch();
            boolean fenced = images.broker(state.image(), id).fenced();
            if (state.up(id)) {
                running(state, id, moves);
                losses(state, id, moves);
                if (registered
                        && fenced
                        && images.index(brokers.face(state.broker(id)).image())
                                >= images.broker(state.image(), id).epoch()) {
                    moves.accept(Move.of(Move.Kind.UNFENCE, id, 0));
                }
            } else {
                moves.accept(Move.of(Move.Kind.START, id, 0));
            }
            if (!fenced && fenceable(state, cost(state, id))) {
                moves.accept(Move.of(Move.Kind.FENCE, id, 0));
                for (int other = id + 1; other <= BROKERS; other++) {
                    if (!images.broker(state.image(), other).fenced()
                            && fenceable(state, cost(state, id) + cost(state, other))) {
                        moves.accept(Move.of(Move.Kind.FENCE_BOTH, id, other));
                    }
                }
            }
        }
        PartitionState partition = images.partition(state.image());
        if (partition.leader() != partition.replicas().get(0) && left(state, ELECTIONS)) {
            moves.accept(Move.of(Move.Kind.ELECT_PREFERRED, 0, 0));
        }
        for (int min = 1; min <= BROKERS && left(state, MIN_ISRS); min++) {
            if (min != partition.minIsr()) {
                moves.accept(Move.of(Move.Kind.MIN_ISR, min, 0));
            }
        }
        for (int at = 0; at < state.messageCount; at++) {
            underway(state, at, moves);
        }
    }

    private void running(Draft state, int id, IntConsumer moves) {
        Brokers.Face face = brokers.face(state.broker(id));
        for (int at = 0; at < state.imageCount; at++) {
            if (images.index(state.image(at)) > images.index(face.image())) {
                moves.accept(Move.of(Move.Kind.LEARN, id, at));
            }
        }
        if (face.ask() >= 0 && state.up(face.asked())) {
            moves.accept(Move.of(Move.Kind.FETCH, id, 0));
            moves.accept(Move.of(Move.Kind.FETCH_UNANSWERED, id, 0));
            if (left(state, LATE_FETCHES)) {
                moves.accept(Move.of(Move.Kind.FETCH_LATE, id, 0));
            }
        }
        if (face.leads()) {
            if (left(state, APPENDS)) {
                moves.accept(Move.of(Move.Kind.APPEND, id, 0));
            }
            moves.accept(Move.of(Move.Kind.TICK, id, 0));
            if (left(state, LAPSES)) {
                moves.accept(Move.of(Move.Kind.LAPSE, id, 0));
            }
        }
    }

    private void losses(Draft state, int id, IntConsumer moves) {
        if (left(state, POWER_LOSSES)) {
            for (int end = 0; end <= brokers.face(state.broker(id)).log().end(); end++) {
                moves.accept(Move.of(Move.Kind.POWER_LOSS, id, end));
            }
        }
        if (left(state, CRASHES)) {
            moves.accept(Move.of(Move.Kind.CRASH, id, 0));
        }
        if (left(state, STOPS)) {
            moves.accept(Move.of(Move.Kind.STOP, id, 0));
        }
    }

    private void underway(Draft state, int at, IntConsumer moves) {
        Message message = messages.get(state.message(at));
        if (message instanceof Message.LateFetch) {
            moves.accept(Move.of(Move.Kind.FETCH_ARRIVES, at, 0));
        } else if (message instanceof Message.Answer) {
            moves.accept(Move.of(Move.Kind.ANSWER, at, 0));
            moves.accept(Move.of(Move.Kind.LOSE, at, 0));
        } else {
            moves.accept(Move.of(Move.Kind.DECIDE, at, 0));
            if (left(state, REPEATS)) {
                moves.accept(Move.of(Move.Kind.DECIDE_NOW_AND_AGAIN, at, 0));
            }
            if (((Message.Request) message).heard()) {
                moves.accept(Move.of(Move.Kind.GIVE_UP, at, 0));
                moves.accept(Move.of(Move.Kind.LOSE, at, 0));
            } else if (state.messageCount >= bounds.get("B")) {
                moves.accept(Move.of(Move.Kind.LOSE, at, 0));
            }
        }
    }

    private boolean left(Draft state, int budget) {
        return state.spent(budget) < limits[budget];
    }

    /** Whoever is not there is fenced for nothing. */
    private int cost(Draft state, int id) {
        boolean there = state.up(id)
                && brokers.face(state.broker(id)).epoch()
                        == images.broker(state.image(), id).epoch();
        return there ? 1 : 0;
    }

    private boolean fenceable(Draft state, int cost) {
        return state.spent(FENCINGS) + cost <= limits[FENCINGS];
    }

    // ---- what they make of a state ----

    /**
     * Makes the move; false if what comes of it is beyond the bounds. Throws {@link Breach}, or what a core throws, if a
     * promise is broken.
     */
    boolean make(Draft state, int move) {
        int what = Move.what(move);
        boolean within = switch (Move.kind(move)) {
            case LEARN -> step(state, what, brokers.input(new Input.Learn(state.image(Move.more(move)))));
            case FETCH -> fetch(state, what, true);
            case FETCH_UNANSWERED -> fetch(state, what, false);
            case FETCH_LATE -> fetchLate(state, what);
            case FETCH_ARRIVES -> arrives(state, what);
            case APPEND -> spent(state, APPENDS) && step(state, what, append);
            case TICK -> step(state, what, tick);
            case LAPSE -> spent(state, LAPSES) && step(state, what, lapse);
            case POWER_LOSS -> spent(state, POWER_LOSSES) && end(state, what, Move.more(move), Down.Evidence.NONE);
            case CRASH -> spent(state, CRASHES) && crash(state, what);
            case STOP -> spent(state, STOPS) && stop(state, what);
            case START -> register(state, what);
            case FENCE -> fence(state, what, 0);
            case FENCE_BOTH -> fence(state, what, Move.more(move));
            case UNFENCE -> decided(state, new QuorumCommand.UnfenceBroker(ref(state, what)));
            case ELECT_PREFERRED ->
                spent(state, ELECTIONS)
                        && decided(state, new QuorumCommand.ElectLeaders(List.of(images.partition), false, ""));
            case MIN_ISR -> spent(state, MIN_ISRS) && decided(state, images.minIsr(what));
            case DECIDE -> decide(state, what);
            case DECIDE_NOW_AND_AGAIN -> spent(state, REPEATS) && decideAndKeep(state, what);
            case GIVE_UP -> giveUp(state, what);
            case LOSE -> lose(state, what);
            case ANSWER -> answer(state, what);
        };
        if (within) {
            settle(state);
            check(state);
        }
        return within && state.messageCount <= bounds.get("B");
    }

    private static boolean spent(Draft state, int budget) {
        state.spend(budget, 1);
        return true;
    }

    private boolean step(Draft state, int id, int input) {
        Brokers.Outcome outcome = brokers.step(state.broker(id), input);
        take(state, id, outcome);
        return true;
    }

    private void take(Draft state, int id, Brokers.Outcome outcome) {
        state.brokers[id - 1] = outcome.broker();
        long epoch = brokers.face(outcome.broker()).epoch();
        for (Brokers.Sent sent : outcome.sent()) {
            state.addMessage(messages.of(
                    new Message.Request(id, sent.proposal(), new AlterPartition(id, epoch, List.of(sent.request())))));
        }
    }

    private boolean fetch(Draft state, int id, boolean answered) {
        Brokers.Face face = brokers.face(state.broker(id));
        Brokers.Outcome served = brokers.step(state.broker(face.asked()), face.ask());
        take(state, face.asked(), served);
        return !answered || step(state, id, served.answer());
    }

    private boolean fetchLate(Draft state, int id) {
        state.spend(LATE_FETCHES, 1);
        Brokers.Face face = brokers.face(state.broker(id));
        Input.Serve fetch = (Input.Serve) brokers.input(face.ask());
        Input.Serve late = new Input.Serve(fetch.follower(), fetch.epoch(), fetch.position(), true);
        long leaderEpoch = brokers.face(state.broker(face.asked())).epoch();
        state.addMessage(messages.of(new Message.LateFetch(face.asked(), leaderEpoch, late)));
        return true;
    }

    private boolean arrives(Draft state, int at) {
        Message.LateFetch late = (Message.LateFetch) messages.get(state.message(at));
        state.dropMessage(at);
        return step(state, late.to(), brokers.input(late.fetch()));
    }

    private boolean crash(Draft state, int id) {
        return end(state, id, brokers.face(state.broker(id)).log().end(), Down.Evidence.SAME_BOOT);
    }

    private boolean stop(Draft state, int id) {
        Brokers.Face face = brokers.face(state.broker(id));
        return decided(state, new QuorumCommand.ShutDownBroker(new BrokerRef(id, face.epoch())))
                && end(state, id, face.log().end(), Down.Evidence.STOPPED);
    }

    /** The process ends; so many records are left. What the leader knew of the mark is lost with what was not synced. */
    private boolean end(Draft state, int id, int end, Down.Evidence evidence) {
        Brokers.Face face = brokers.face(state.broker(id));
        long mark = evidence == Down.Evidence.NONE ? 0 : face.mark();
        Down down = new Down(id, face.epoch(), face.log().cut(end), mark, evidence);
        state.brokers[id - 1] = -1 - downs.of(down);
        for (int at = state.messageCount - 1; at >= 0; at--) {
            Message message = messages.get(state.message(at));
            if (message instanceof Message.Request request && request.sender() == id) {
                state.message(at, messages.of(request.unheard()));
            } else if ((message instanceof Message.Answer answer && answer.to() == id)
                    || (message instanceof Message.LateFetch late && late.to() == id)) {
                state.dropMessage(at);
            }
        }
        return true;
    }

    private boolean register(Draft state, int id) {
        Down down = downs.get(state.down(id));
        BrokerState before = images.broker(state.image(), id);
        if (!decided(state, down.registration(before, images.partition))) {
            return false;
        }
        long epoch = images.broker(state.image(), id).epoch();
        if (epoch == before.epoch()) {
            throw new Breach("broker " + id + " is refused: " + down);
        }
        start(
                state,
                id,
                new Input.Start(
                        id, epoch, down.log(), Math.min(down.mark(), down.log().end())));
        return true;
    }

    private void start(Draft state, int id, Input.Start start) {
        state.brokers[id - 1] = brokers.start(start);
        step(state, id, brokers.input(new Input.Learn(state.image())));
    }

    private BrokerRef ref(Draft state, int id) {
        return new BrokerRef(id, images.broker(state.image(), id).epoch());
    }

    private boolean fence(Draft state, int id, int other) {
        state.spend(FENCINGS, cost(state, id) + (other == 0 ? 0 : cost(state, other)));
        List<BrokerRef> gone = other == 0 ? List.of(ref(state, id)) : List.of(ref(state, id), ref(state, other));
        return decided(state, new QuorumCommand.FenceBrokers(gone, ""));
    }

    private boolean decided(Draft state, QuorumCommand command) {
        return advance(state, images.decide(state.image(), command).image());
    }

    /** The controllers go on to that image, if it is within the bounds. */
    private boolean advance(Draft state, int image) {
        if (image == state.image()) {
            return true;
        }
        PartitionState partition = images.partition(image);
        state.addImage(image);
        return partition.leaderEpoch() <= bounds.get("LE") && partition.partitionEpoch() <= bounds.get("PE");
    }

    private boolean decideAndKeep(Draft state, int at) {
        Message.Request request = (Message.Request) messages.get(state.message(at));
        state.addMessage(messages.of(request.unheard()));
        return decide(state, at);
    }

    private boolean decide(Draft state, int at) {
        Message.Request request = (Message.Request) messages.get(state.message(at));
        Images.Decided decided = images.decide(state.image(), request.command());
        state.dropMessage(at);
        if (!advance(state, decided.image())) {
            return false;
        }
        if (request.heard()) {
            state.addMessage(messages.of(new Message.Answer(
                    request.sender(), answered(request.proposal(), decided, images.index(state.image())))));
        }
        return true;
    }

    private static ReplicaEvent.AlterAnswered answered(long proposal, Images.Decided decided, long index) {
        if (decided.reply() instanceof AlteredPartitions altered) {
            AlteredPartitions.Result row = altered.results().get(0);
            return new ReplicaEvent.AlterAnswered(
                    proposal, row.error(), index, row.leaderEpoch(), row.partitionEpoch(), row.isr());
        }
        ErrorCode error = ((QuorumReply.Refused) decided.reply()).error();
        return new ReplicaEvent.AlterAnswered(proposal, error, index, -1, -1, List.of());
    }

    private boolean giveUp(Draft state, int at) {
        Message.Request request = (Message.Request) messages.get(state.message(at));
        state.message(at, messages.of(request.unheard()));
        return unanswered(state, request.sender(), request.proposal());
    }

    private boolean lose(Draft state, int at) {
        Message message = messages.get(state.message(at));
        state.dropMessage(at);
        if (message instanceof Message.Answer answer) {
            return unanswered(state, answer.to(), answer.event().proposal());
        }
        Message.Request request = (Message.Request) message;
        return !request.heard() || unanswered(state, request.sender(), request.proposal());
    }

    private boolean unanswered(Draft state, int id, long proposal) {
        return step(state, id, brokers.input(new Input.Answered(new ReplicaEvent.AlterUnknown(proposal))));
    }

    private boolean answer(Draft state, int at) {
        Message.Answer answer = (Message.Answer) messages.get(state.message(at));
        state.dropMessage(at);
        return step(state, answer.to(), brokers.input(new Input.Answered(answer.event())));
    }

    // ---- what does not matter any more goes, so that states that cannot be told apart are one ----

    private void settle(Draft state) {
        long oldest = Long.MAX_VALUE;
        for (int id = 1; id <= BROKERS; id++) {
            if (state.up(id)) {
                oldest = Math.min(
                        oldest, images.index(brokers.face(state.broker(id)).image()));
            }
        }
        while (state.imageCount > 1 && (state.imageCount > bounds.get("H") || images.index(state.image(0)) <= oldest)) {
            state.dropOldestImage();
        }
        for (int at = state.messageCount - 1; at >= 0; at--) {
            if (pointless(state, messages.get(state.message(at)))) {
                state.dropMessage(at);
            }
        }
    }

    /** It will be refused, and nobody hears of it. */
    private boolean pointless(Draft state, Message message) {
        if (message instanceof Message.Request request) {
            IsrProposal proposal = request.command().partitions().get(0);
            return !request.heard()
                    && (proposal.partitionEpoch()
                                    < images.partition(state.image()).partitionEpoch()
                            || request.command().brokerEpoch()
                                    != images.broker(state.image(), request.sender())
                                            .epoch());
        }
        if (message instanceof Message.LateFetch late) {
            Brokers.Face leader = brokers.face(state.broker(late.to()));
            return leader.epoch() != late.toEpoch()
                    || leader.leaderEpoch() > late.fetch().position().leaderEpoch();
        }
        return false;
    }

    // ---- invariants ----

    private void check(Draft state) {
        Exposed all = exposed.get(state.exposed);
        for (int id = 1; id <= BROKERS; id++) {
            if (state.up(id)) {
                Brokers.Face face = brokers.face(state.broker(id));
                if (face.leads() && face.mark() > 0) {
                    all = all.with(face);
                }
            }
        }
        if (all != exposed.get(state.exposed)) {
            state.exposed = exposed.of(all);
        }
        Invariants.check(all, images, brokers, state);
    }

    Message message(int number) {
        return messages.get(number);
    }

    Down down(Draft state, int id) {
        return downs.get(state.down(id));
    }

    Exposed exposed(Draft state) {
        return exposed.get(state.exposed);
    }
}
