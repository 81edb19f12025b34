package io.asyncflow.bench;

/**
 * One contender's part of a round.
 *
 * @param result what it is judged by
 * @param cpu what happened on the processors meanwhile
 */
record Lap<R>(String contender, R result, CpuUse cpu) {}
