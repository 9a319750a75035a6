package io.tidemark.quorum.core;

import io.tidemark.model.MonoTime;
import io.tidemark.model.PartitionId;
import io.tidemark.model.WallTime;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * What a decision may know beside the image and the command.
 *
 * @param random seed drawn by the acting controller for this one command; topic ids and placement derive from it
 * @param sessionAlive whether the registered incarnation of that broker id has a session that has not run out (R1.15)
 * @param stillAnswers whether the registered incarnation of that broker id answers on the controller's connection, or
 *     may yet answer what it was asked there (B5)
 * @param movedLately whether leadership of that partition was taken from somebody within the last minute (B13)
 */
public record DecideContext(
        WallTime now,
        MonoTime monoNow,
        long random,
        IntPredicate sessionAlive,
        IntPredicate stillAnswers,
        Predicate<PartitionId> movedLately,
        ControllerSettings settings) {}
