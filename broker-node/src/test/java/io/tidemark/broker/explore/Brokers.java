package io.tidemark.broker.explore;

import io.tidemark.broker.replica.Effect;
import io.tidemark.broker.replica.FetchPosition;
import io.tidemark.broker.replica.Replica;
import io.tidemark.model.Check;
import io.tidemark.model.metadata.PartitionState;
import io.tidemark.model.metadata.QuorumCommand.IsrProposal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The states of running brokers, each as a number, and what each becomes by each input. A state is known by its code
 * ({@link StateCode}) and made by giving a new broker the inputs that first led to it.
 */
final class Brokers {
    /** A state that no broker has: the input has not been taken there yet. */
    private static final int NONE = -1;

    /**
     * What others can see of a broker in some state.
     *
     * @param ask the input that its next fetch is for its leader, -1 if it has none to ask
     * @param image learned last
     */
    record Face(
            int id,
            long epoch,
            boolean leads,
            int leaderEpoch,
            long mark,
            RecordLog log,
            int image,
            int ask,
            int asked,
            String isr) {}

    /** A proposal as it leaves a broker; the words are left behind. */
    record Sent(long proposal, IsrProposal request) {}

    /**
     * What comes of an input.
     *
     * @param answer the input that the answer to a fetch is for the follower, -1 if there is none
     */
    record Outcome(int broker, List<Sent> sent, int answer) {}

    private final Images images;
    private final Interned<Input> inputs = new Interned<>();
    private final Map<PartitionState, Long> partitionCodes = new HashMap<>();
    private final Interned<StateCode.Code> codes = new Interned<>();
    private final List<Face> faces = new ArrayList<>();
    /** The state before the last input, or {@link #NONE}, and that input. */
    private final List<int[]> origins = new ArrayList<>();

    private final LongTable known = new LongTable();
    private final List<Outcome> outcomes = new ArrayList<>();

    Brokers(Images images) {
        this.images = images;
    }

    int input(Input input) {
        return inputs.of(input);
    }

    Input input(int number) {
        return inputs.get(number);
    }

    Face face(int broker) {
        return faces.get(broker);
    }

    /** How many states were seen. */
    int size() {
        return faces.size();
    }

    /** How many steps were executed, replays not counted. */
    int steps() {
        return outcomes.size();
    }

    int start(Input.Start start) {
        return numberOf(new Broker(images, start), NONE, inputs.of(start));
    }

    /** What becomes of a broker in that state by that input. Throws whatever the core throws. */
    Outcome step(int broker, int input) {
        long key = (long) broker << 32 | input;
        int at = known.get(key);
        if (at == LongTable.ABSENT) {
            at = outcomes.size();
            outcomes.add(execute(broker, input));
            known.putIfAbsent(key, at);
        }
        return outcomes.get(at);
    }

    private Outcome execute(int number, int input) {
        Broker broker = make(number);
        Input step = inputs.get(input);
        broker.handle(step);
        List<Sent> sent = new ArrayList<>(0);
        for (Effect.SendAlter alter : broker.sent()) {
            sent.add(new Sent(alter.proposal(), silent(alter.request())));
        }
        int answer = step instanceof Input.Serve serve ? inputs.of(broker.answer(serve.position())) : NONE;
        return new Outcome(numberOf(broker, number, input), sent, answer);
    }

    private static IsrProposal silent(IsrProposal request) {
        return new IsrProposal(
                request.id(),
                request.leaderEpoch(),
                request.partitionEpoch(),
                request.isr(),
                request.recovering(),
                request.kind(),
                request.floor(),
                "");
    }

    private Broker make(int number) {
        List<Input> path = new ArrayList<>();
        for (int at = number; at != NONE; at = origins.get(at)[0]) {
            path.add(inputs.get(origins.get(at)[1]));
        }
        Broker broker = new Broker(images, (Input.Start) path.get(path.size() - 1));
        for (int i = path.size() - 2; i >= 0; i--) {
            broker.handle(path.get(i));
        }
        return broker;
    }

    private int numberOf(Broker broker, int before, int input) {
        StateCode code = new StateCode(partitionCodes);
        broker.encode(code);
        int number = codes.of(code.code());
        if (number == faces.size()) {
            faces.add(faceOf(broker));
            origins.add(new int[] {before, input});
        }
        return number;
    }

    private Face faceOf(Broker broker) {
        Replica replica = broker.replica();
        FetchPosition position = broker.position();
        int ask = position == null ? NONE : inputs.of(new Input.Serve(broker.id, broker.epoch, position, false));
        return new Face(
                broker.id,
                broker.epoch,
                replica.leads(),
                replica.state() == null ? -1 : replica.state().leaderEpoch(),
                replica.highWatermark(),
                broker.log(),
                broker.image(),
                ask,
                position == null ? NONE : position.leader(),
                replica.isrState());
    }

    /** Makes the broker anew and compares: that a state follows from its inputs, and from nothing else, is what all rests on. */
    void verify(int number) {
        StateCode code = new StateCode(partitionCodes);
        make(number).encode(code);
        Check.that(codes.get(number).equals(code.code()), "broker state %d is not made again by its inputs", number);
    }
}
