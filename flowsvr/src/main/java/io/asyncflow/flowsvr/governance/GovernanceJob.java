package io.asyncflow.flowsvr.governance;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * A job that is run again and again.
 *
 * @param name in the log, in the table of runs, and in the status
 * @param interval between two runs, give or take a little
 * @param leaderOnly whether one node is enough; every write is harmless under two all the same
 * @param runOnce one bounded round without a clock of its own; what it returns is shown as JSON
 */
record GovernanceJob(String name, Duration interval, boolean leaderOnly, Supplier<?> runOnce) {}
