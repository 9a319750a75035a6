package io.tidemark.broker.sim;

import io.tidemark.broker.runtime.QuorumPort;
import io.tidemark.model.metadata.ErrorCode;
import io.tidemark.model.metadata.QuorumCommand;
import io.tidemark.model.metadata.QuorumReply;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** One node's way to the controllers, with the retries of the real link. */
final class QuorumClient implements QuorumPort {
    private static final long RETRY_MICROS = 20_000;
    private static final long TIMEOUT_MICROS = 600_000;
    private static final long REQUEST_TIMEOUT_MICROS = 10_000_000;

    private final Simulation sim;
    private final int node;
    private final BooleanSupplier alive;
    private int leader;

    QuorumClient(Simulation sim, int node, BooleanSupplier alive) {
        this.sim = sim;
        this.node = node;
        this.alive = alive;
        this.leader = sim.chance().between(Controllers.FIRST_ID, Controllers.FIRST_ID + Controllers.COUNT - 1);
    }

    @Override
    public CompletionStage<QuorumReply.Answer> submit(QuorumCommand command) {
        Call call = new Call(command, false);
        call.start();
        return call.result;
    }

    @Override
    public CompletionStage<QuorumReply.Answer> attempt(QuorumCommand command) {
        Call call = new Call(command, true);
        call.start();
        return call.result;
    }

    int leader() {
        return leader;
    }

    void leaderFailed(int id) {
        if (id == leader) {
            leader = Controllers.FIRST_ID + (leader - Controllers.FIRST_ID + 1) % Controllers.COUNT;
        }
    }

    private final class Call {
        final CompletableFuture<QuorumReply.Answer> result = new CompletableFuture<>();
        private final QuorumCommand command;
        private final boolean once;
        private final long deadline = sim.queue().now() + REQUEST_TIMEOUT_MICROS;
        private long callId = sim.controllers().newCall();
        /** Names the sending at hand: what comes of an earlier one is not waited for any more. */
        private int sending;

        Call(QuorumCommand command, boolean once) {
            this.command = command;
            this.once = once;
        }

        void start() {
            if (!alive.getAsBoolean() || result.isDone()) {
                return;
            }
            if (sim.queue().now() >= deadline) {
                unknown();
                return;
            }
            int mine = ++sending;
            int to = leader;
            long lateness = command instanceof QuorumCommand.AlterPartition
                    ? sim.network().takeLateChange(node)
                    : 0;
            Network.Fate fate = lateness > 0 ? Network.Fate.LATE : sim.network().fate(node, to);
            sim.trace().note("send", node, to, command.getClass().getSimpleName(), callId, fate.name());
            long id = callId;
            switch (fate) {
                case DELIVERED -> arrive(to, id, mine, sim.network().delay(node, to), true);
                case ANSWER_LOST -> arrive(to, id, mine, sim.network().delay(node, to), false);
                case LATE ->
                    arrive(to, id, mine, lateness > 0 ? lateness : sim.network().lateness(), false);
                case TWICE -> {
                    arrive(to, id, mine, sim.network().delay(node, to), true);
                    arrive(to, id, mine, sim.network().lateness(), false);
                }
                default -> {}
            }
            sim.queue().after(TIMEOUT_MICROS, () -> {
                if (mine == sending && alive.getAsBoolean() && !result.isDone()) {
                    noAnswer(to);
                }
            });
        }

        private void arrive(int to, long id, int mine, long delay, boolean answered) {
            sim.queue()
                    .after(
                            delay,
                            () -> sim.controllers().command(to, id, command, new Controllers.Reply() {
                                @Override
                                public void answer(QuorumReply.Answer answer) {
                                    back(() -> answered(answer));
                                }

                                @Override
                                public void notActing() {
                                    back(() -> {
                                        leaderFailed(to);
                                        later();
                                    });
                                }

                                private void back(Runnable then) {
                                    if (answered && sim.network().reaches(to, node)) {
                                        sim.queue().after(sim.network().delay(to, node), () -> {
                                            if (mine == sending && alive.getAsBoolean() && !result.isDone()) {
                                                then.run();
                                            }
                                        });
                                    }
                                }
                            }));
        }

        private void later() {
            sending++;
            sim.queue().after(RETRY_MICROS, this::start);
        }

        private void noAnswer(int to) {
            leaderFailed(to);
            if (once) {
                unknown();
            } else {
                later();
            }
        }

        private void answered(QuorumReply.Answer answer) {
            sending++;
            if (answer.error() == ErrorCode.VOID_ENTRY || answer.error() == ErrorCode.NOT_CONTROLLER) {
                callId = sim.controllers().newCall();
                later();
            } else {
                sim.trace()
                        .note(
                                "answer",
                                node,
                                callId,
                                answer.index(),
                                answer.error().name());
                result.complete(answer);
            }
        }

        private void unknown() {
            sending++;
            sim.trace().note("no answer", node, callId);
            result.completeExceptionally(new OutcomeUnknownException("no answer", null));
        }
    }
}
