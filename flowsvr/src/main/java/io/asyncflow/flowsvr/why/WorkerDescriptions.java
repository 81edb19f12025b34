package io.asyncflow.flowsvr.why;

import io.asyncflow.rules.TaskType;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What workers say of themselves, each text read once. Thread-safe. */
final class WorkerDescriptions {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Map<String, Parsed> known = new ConcurrentHashMap<>();

  /**
   * A description.
   *
   * @param stages {@code type/stage}, the type in lower case
   * @param version of the worker's program; 0 if it has none
   * @param freeThreads by type
   * @param freeSlots by device
   * @param quarantined slots out of use; empty for none
   * @param stuck handlers that heed no interrupt
   */
  record Description(
      Set<String> stages,
      int version,
      Map<String, Integer> freeThreads,
      Map<String, Integer> freeSlots,
      String quarantined,
      int stuck) {}

  private record Parsed(String json, Description description) {}

  Description of(String workerId, String json) {
    return known
        .compute(
            workerId,
            (id, last) ->
                last != null && last.json().equals(json) ? last : new Parsed(json, read(json)))
        .description();
  }

  /** Forgets all other workers. */
  void retain(Set<String> workerIds) {
    known.keySet().retainAll(workerIds);
  }

  private static Description read(String json) {
    JsonNode description = parsed(json);
    JsonNode states = description.path("states");
    String quarantined = states.path("quarantined").asString("none");
    return new Description(
        stages(description.path("stages")),
        description.path("version").asInt(0),
        numbers(description.path("freeThreads")),
        numbers(description.path("freeSlots")),
        quarantined.equals("none") ? "" : quarantined,
        number(states.path("stuck").asString("0")));
  }

  private static JsonNode parsed(String json) {
    try {
      return JSON.readTree(json);
    } catch (JacksonException e) {
      return JSON.createObjectNode(); // written by SQL
    }
  }

  private static Set<String> stages(JsonNode listed) {
    Set<String> stages = new HashSet<>();
    for (JsonNode stage : listed) {
      String name = stage.asString("");
      int slash = name.indexOf('/');
      if (slash > 0) {
        TaskType.parse(name.substring(0, slash))
            .ifPresent(type -> stages.add(type.name() + name.substring(slash)));
      }
    }
    return stages;
  }

  private static Map<String, Integer> numbers(JsonNode object) {
    Map<String, Integer> numbers = new HashMap<>();
    for (String name : object.propertyNames()) {
      numbers.put(
          TaskType.parse(name).map(TaskType::name).orElse(name), object.path(name).asInt(0));
    }
    return numbers;
  }

  private static int number(String text) {
    return text.matches("[0-9]{1,6}") ? Integer.parseInt(text) : 0;
  }
}
