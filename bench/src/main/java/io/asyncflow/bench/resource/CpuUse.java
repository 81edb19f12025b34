package io.asyncflow.bench.resource;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What happened on the processors between two readings.
 *
 * @param unused cores that nobody used
 * @param others cores that went to processes which are no part of the bench; with a database that
 *     was given, that one included
 * @param othersKnown whether {@code others} is told apart from the database
 * @param ownSeconds of a processor, that each process of the bench used
 */
public record CpuUse(
    double unused, double others, boolean othersKnown, Map<String, Double> ownSeconds) {

  /** More than so much for others, and a round says more about them than about us. */
  private static final double TOLERATED = 1.0 / 3;

  public CpuUse {
    ownSeconds = new LinkedHashMap<>(ownSeconds);
  }

  public static CpuUse between(CpuReading before, CpuReading after) {
    double tick = 1.0 / after.ticksPerSecond();
    double seconds = (after.nanos() - before.nanos()) / 1e9;
    Map<String, Double> own = new LinkedHashMap<>();
    after
        .ownTicks()
        .forEach((name, used) -> own.put(name, used.since(before.ownTicks().get(name)) * tick));
    double ownCores = own.values().stream().mapToDouble(Double::doubleValue).sum() / seconds;
    double busyCores = (after.busyTicks() - before.busyTicks()) * tick / seconds;
    double idleCores = (after.idleTicks() - before.idleTicks()) * tick / seconds;
    // Ticks are coarse: in a short lap the bench may seem to have used more than was used at all.
    return new CpuUse(idleCores, Math.max(0, busyCores - ownCores), after.ownIsAll(), own);
  }

  /**
   * Cores that each process of the bench used.
   *
   * @param elapsed seconds between the two readings
   */
  public Map<String, Double> ownCores(double elapsed) {
    Map<String, Double> cores = new LinkedHashMap<>();
    ownSeconds.forEach((name, seconds) -> cores.put(name, seconds / elapsed));
    return cores;
  }

  /**
   * Microseconds that each process of the bench used for a unit, as {@code flowsvr 120, Redis 0}.
   *
   * @param units how many were done between the two readings
   */
  public String microsEach(int units) {
    return ownSeconds.entrySet().stream()
        .map(each -> each.getKey() + " " + Math.round(each.getValue() * 1e6 / units))
        .collect(Collectors.joining(", "));
  }

  public boolean disturbed() {
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
