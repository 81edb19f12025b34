package io.asyncflow.bench;

import java.util.Locale;

/**
 * What happened on the processors between two readings, in cores.
 *
 * @param unused that nobody used
 * @param others that went to processes which are no part of the bench; with a database that was
 *     given, that one included
 * @param othersKnown whether {@code others} is told apart from the database
 */
record CpuUse(double unused, double others, boolean othersKnown) {

  /** More than so much for others, and a round says more about them than about us. */
  private static final double TOLERATED = 1.0 / 3;

  static CpuUse between(CpuReading before, CpuReading after) {
    double seconds = (after.nanos() - before.nanos()) / 1e9;
    double tick = 1.0 / after.ticksPerSecond() / seconds;
    double busy = (after.busyTicks() - before.busyTicks()) * tick;
    double own = (after.ownTicks() - before.ownTicks()) * tick;
    double idle = (after.idleTicks() - before.idleTicks()) * tick;
    // Ticks are coarse: a short lap may seem to have used more than there was.
    return new CpuUse(Math.min(idle, after.cores()), Math.max(0, busy - own), after.ownIsAll());
  }

  boolean disturbed() {
    return othersKnown && others > TOLERATED;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "CPU unused %.2f, others %.2f cores%s%s",
        unused,
        others,
        othersKnown ? "" : " (the database among them)",
        disturbed() ? ": DISTURBED" : "");
  }
}
