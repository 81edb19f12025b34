package io.asyncflow.worker;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * What a stage needs of the worker that runs it.
 *
 * @param slots places on one device that a run takes, at least 0
 * @param labels what the worker must be labelled with: a name ({@code gpu}), or a name and one of
 *     its values ({@code model=kokoro}); a worker without them does not ask for the stage
 * @param model what a run of it loads on its slot, and finds there if the run before it on this
 *     slot had the same; empty for nothing that would be worth a wait. A worker asks first for the
 *     stages whose model is loaded on a free slot, and for those of other models only when they
 *     have been due for a second.
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

  /** A thread alone, on any worker. */
  public static StageNeeds nothing() {
    return NOTHING;
  }

  /** So many places on one device, on any worker. */
  public static StageNeeds slots(int places) {
    return new StageNeeds(places, List.of());
  }

  /** What the annotation says. */
  public static StageNeeds of(Stage stage) {
    int slots = Math.max(stage.slots(), stage.slot() ? 1 : 0);
    return new StageNeeds(slots, List.of(stage.requires()), stage.model());
  }

  /** The same on workers with these labels alone. */
  public StageNeeds on(String... needed) {
    return new StageNeeds(slots, List.of(needed), model);
  }

  /** The same with a model that is loaded on the slot. */
  public StageNeeds loading(String modelOfTheStage) {
    return new StageNeeds(slots, labels, modelOfTheStage);
  }

  /**
   * Which of the needed labels are not among these. A label with several values has commas between
   * them.
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
