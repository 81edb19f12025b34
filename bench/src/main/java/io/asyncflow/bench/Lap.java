package io.asyncflow.bench;

/**
 * One contender's part of a round.
 *
 * @param units how often it did the work
 * @param result what it is judged by
 * @param cpu what happened on the processors meanwhile
 */
record Lap<R>(String contender, int units, R result, CpuUse cpu) {}
