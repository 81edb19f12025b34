package io.asyncflow.flowsvr.operate.why;

import io.asyncflow.flowsvr.queue.worker.WorkerView;
import io.asyncflow.rules.TaskType;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a worker says of itself.
 *
 * @param hasStopped whether it serves its stages no more
 * @param stages {@code type/stage}, the type in lower case
 * @param version of the worker's program; 0 if it has none
 * @param freeThreads by type
 * @param freeSlots by device
 * @param quarantined slots out of use; empty for none
 * @param stuck handlers that heed no interrupt
 * @param withheld the labels that it lacks for stages that it has handlers for
 * @param models by stage: what its runs load
 * @param loaded models that are loaded on its slots
 * @param queued the ids of tasks that it holds and has not begun; some of them if there are many
 */
record Description(
    boolean hasStopped,
    Set<String> stages,
    int version,
    Map<String, Integer> freeThreads,
    Map<String, Integer> freeSlots,
    String quarantined,
    int stuck,
    Map<String, List<String>> withheld,
    Map<String, String> models,
    Set<String> loaded,
    Set<String> queued) {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  static Description read(String json) {
    JsonNode description = parsed(json);
    JsonNode states = description.path("states");
    String quarantined = states.path("quarantined").asString("none");
    return new Description(
        WorkerView.hasStopped(description),
        stages(description.path("stages")),
        description.path("version").asInt(0),
        numbers(description.path("freeThreads")),
        numbers(description.path("freeSlots")),
        quarantined.equals("none") ? "" : quarantined,
        number(states.path("stuck").asString("0")),
        withheld(description.path("withheld")),
        models(description.path("models")),
        texts(description.path("loaded")),
        texts(description.path("queued")));
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
      stage(stage.asString("")).ifPresent(stages::add);
    }
    return stages;
  }

  /** {@code type/stage} with the type as tasks have it. */
  private static Optional<String> stage(String name) {
    int slash = name.indexOf('/');
    return slash <= 0
        ? Optional.empty()
        : TaskType.parse(name.substring(0, slash)).map(type -> type.name() + name.substring(slash));
  }

  private static Map<String, List<String>> withheld(JsonNode listed) {
    Map<String, List<String>> withheld = new HashMap<>();
    for (JsonNode each : listed) {
      List<String> requires = List.copyOf(texts(each.path("requires")));
      stage(each.path("stage").asString("")).ifPresent(stage -> withheld.put(stage, requires));
    }
    return withheld;
  }

  private static Map<String, String> models(JsonNode object) {
    Map<String, String> models = new HashMap<>();
    for (String name : object.propertyNames()) {
      stage(name).ifPresent(stage -> models.put(stage, object.path(name).asString("")));
    }
    return models;
  }

  private static Set<String> texts(JsonNode listed) {
    Set<String> texts = new TreeSet<>();
    for (JsonNode text : listed) {
      if (text.isString()) {
        texts.add(text.asString());
      }
    }
    return texts;
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
