package io.asyncflow.bench.console;

import org.HdrHistogram.Histogram;

/**
 * What was measured beside something.
 *
 * @param statementsPerSecond that the database was sent while nobody held
 * @param holds microseconds of each hold
 */
public record BesideCost(double statementsPerSecond, Histogram holds) {}
