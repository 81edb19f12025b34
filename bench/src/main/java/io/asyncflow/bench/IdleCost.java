package io.asyncflow.bench;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a time without tasks cost.
 *
 * @param statementsPerSecond that the database was sent
 * @param cores that each process used, 1 being a whole one
 */
record IdleCost(double statementsPerSecond, Map<String, Double> cores) {

  IdleCost {
    cores = new LinkedHashMap<>(cores);
  }

  double allCores() {
    return cores.values().stream().mapToDouble(Double::doubleValue).sum();
  }
}
