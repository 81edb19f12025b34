package io.asyncflow.bench.measure;

import io.asyncflow.bench.contest.Contender;

/**
 * What a contest is held for.
 *
 * @param subject whose rate is judged
 * @param yardstick by whose
 * @param wanted how many times as fast it should be; 0 if nothing is aimed at
 */
public record Comparison(Contender<?> subject, Contender<?> yardstick, double wanted) {}
