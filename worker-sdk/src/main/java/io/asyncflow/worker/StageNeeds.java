package io.asyncflow.worker;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The requirements of a stage on the worker that runs it.
 *
 * @param slots the number of places on one device that a run takes, at least 0
 * @param labels the labels that the worker must have: a name ({@code gpu}), or a name and one of
 *     its values ({@code model=kokoro}); a worker without them does not ask for the stage
 * @param model the model that a run loads on its slot, and finds loaded if the previous run on the
 *     slot used the same; empty for none. A worker asks first for stages whose model is loaded on a
 *     free slot, and for other stages with a model only after they have been due for a second
 */
public record StageNeeds(int slots, List<String> labels, String model) {

  private static final StageNeeds NOTHING = new StageNeeds(0, List.of());

  /** The same without a model. */
  public StageNeeds(int slots, List<String> labels) {
    this(slots, labels, "");
  }

  public StageNeeds {
    if (slots < 0) {
      throw new IllegalArgumentException("a stage takes at least 0 slots, not " + slots);
    }
    labels = List.copyOf(labels);
    Objects.requireNonNull(model, "model");
    if (labels.stream().anyMatch(label -> label.isBlank() || label.startsWith("="))) {
      throw new IllegalArgumentException("a label that is needed has a name: " + labels);
    }
    if (slots == 0 && !model.isEmpty()) {
      throw new IllegalArgumentException("model " + model + " is loaded on a slot; take one");
    }
  }

  /** No requirements: one thread on any worker. */
  public static StageNeeds nothing() {
    return NOTHING;
  }

  /** Places on one device, on any worker. */
  public static StageNeeds slots(int places) {
    return new StageNeeds(places, List.of());
  }

  /** The requirements that the annotation states. */
  public static StageNeeds of(Stage stage) {
    int slots = Math.max(stage.slots(), stage.slot() ? 1 : 0);
    return new StageNeeds(slots, List.of(stage.requires()), stage.model());
  }

  /** The same, restricted to workers with these labels. */
  public StageNeeds on(String... needed) {
    return new StageNeeds(slots, List.of(needed), model);
  }

  /** The same with a model that is loaded on the slot. */
  public StageNeeds loading(String modelOfTheStage) {
    return new StageNeeds(slots, labels, modelOfTheStage);
  }

  /**
   * The required labels that are missing from {@code had}. A label with several values separates
   * them by commas.
   */
  public List<String> missing(Map<String, String> had) {
    return labels.stream().filter(label -> !has(had, label)).toList();
  }

  private static boolean has(Map<String, String> had, String needed) {
    int equals = needed.indexOf('=');
    if (equals < 0) {
      return had.containsKey(needed);
    }
    String values = Objects.requireNonNullElse(had.get(needed.substring(0, equals)), "");
    String value = needed.substring(equals + 1).strip();
    return Stream.of(values.split(",")).map(String::strip).anyMatch(value::equals);
  }
}
