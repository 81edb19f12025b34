package io.asyncflow.systemtest.worker;

import io.asyncflow.worker.StageNeeds;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a worker process has, and what the stages need that it may run.
 *
 * @param labels of the worker
 * @param slots device to the number of its places; empty for what a worker has by default
 * @param needs of each stage; one that is missing needs nothing
 */
public record Fleet(
    Map<String, String> labels, Map<String, Integer> slots, Map<String, StageNeeds> needs) {

  /** Workers that are all alike. */
  public static final Fleet PLAIN = new Fleet(Map.of(), Map.of(), Map.of());

  /** What the stage needs. */
  public StageNeeds needsOf(String stage) {
    return needs.getOrDefault(stage, StageNeeds.nothing());
  }

  /** As a history has it. */
  String devices() {
    return slots.entrySet().stream()
        .map(device -> device.getKey() + "+" + device.getValue())
        .collect(Collectors.joining(","));
  }
}
