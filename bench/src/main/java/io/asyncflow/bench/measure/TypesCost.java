package io.asyncflow.bench.measure;

import org.HdrHistogram.Histogram;

/**
 * What many types with parked holds on several servers cost.
 *
 * @param statementsPerSecond that the database was sent while nothing was due
 * @param starts microseconds from a create on one server to the start through a hold on another
 */
public record TypesCost(double statementsPerSecond, Histogram starts) {}
