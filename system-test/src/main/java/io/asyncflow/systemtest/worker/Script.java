package io.asyncflow.systemtest.worker;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the context of a test task says: how its stages behave, and which runs have committed.
 *
 * @param acts for each stage what its first, second, … delivery does; the last one is repeated, and
 *     a stage that is missing is "OK"
 * @param trail "a@1 b@4": the stages that are done, each with the epoch that did it
 */
public record Script(Map<String, List<String>> acts, String trail) {

  /** The stages of every test task, in their order. */
  public static final List<String> STAGES = List.of("a", "b", "c");

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** Every stage succeeds at once. */
  public static Script smooth() {
    return new Script(Map.of(), "");
  }

  /** The same with one stage that behaves otherwise. */
  public Script with(String stage, String... deliveries) {
    Map<String, List<String>> more = new HashMap<>(acts);
    more.put(stage, List.of(deliveries));
    return new Script(more, trail);
  }

  /** As the context of a task. */
  public String json() {
    return JSON.writeValueAsString(this);
  }

  /** What a delivery does. The epoch counts on from the one that committed the stage before. */
  Act actOf(String stage, int epoch) {
    List<String> deliveries = acts.getOrDefault(stage, List.of("OK"));
    int delivery = epoch - lastCommittedEpoch();
    return Act.parse(deliveries.get(Math.min(delivery, deliveries.size()) - 1));
  }

  private int lastCommittedEpoch() {
    return trail.isEmpty() ? 0 : Integer.parseInt(trail.substring(trail.lastIndexOf('@') + 1));
  }

  Script committed(String stage, int epoch) {
    String step = stage + "@" + epoch;
    return new Script(acts, trail.isEmpty() ? step : trail + " " + step);
  }
}
