package io.asyncflow.bench.contest;

import io.asyncflow.bench.resource.CpuUse;

/**
 * One contender's part of a round.
 *
 * @param units how often it did the work
 * @param result what it is judged by
 * @param cpu what happened on the processors meanwhile
 */
public record Lap<R>(String contender, int units, R result, CpuUse cpu) {}
