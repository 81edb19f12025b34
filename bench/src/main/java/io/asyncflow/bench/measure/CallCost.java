package io.asyncflow.bench.measure;

import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * What a server asks its database for, and how long calls take beside that.
 *
 * @param statementsPerSecond that the database was sent while nothing was to be done
 * @param calls microseconds of each call
 */
public record CallCost(double statementsPerSecond, Histogram calls) {

  /** The mean of the statements, since duties that run once a minute make the rounds differ. */
  public static CallCost together(List<CallCost> costs) {
    return new CallCost(
        costs.stream().mapToDouble(CallCost::statementsPerSecond).average().orElseThrow(),
        Latency.together(costs.stream().map(CallCost::calls).toList()));
  }
}
