package io.asyncflow.bench.measure;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a time without tasks cost.
 *
 * @param statementsPerSecond that the database was sent
 * @param cores that each process used, 1 being a whole one
 */
public record IdleCost(double statementsPerSecond, Map<String, Double> cores) {

  public IdleCost {
    cores = new LinkedHashMap<>(cores);
  }

  double allCores() {
    return cores.values().stream().mapToDouble(Double::doubleValue).sum();
  }
}
