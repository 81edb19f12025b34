package io.asyncflow.worker;

import io.asyncflow.worker.internal.loop.DurationText;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The requirements of a stage on the worker that runs it, and whether the worker runs it again.
 *
 * @param slots the number of places on one device that a run takes, at least 0
 * @param labels the labels that the worker must have: a name ({@code gpu}), or a name and one of
 *     its values ({@code model=kokoro}); a worker without them does not ask for the stage
 * @param model the model that a run loads on its slot, and finds loaded if the previous run on the
 *     slot used the same; empty for none. A worker asks first for stages whose model is loaded on a
 *     free slot, and for other stages with a model only after they have been due for a second
 * @param localRetries see {@link #retriedHere}; 0 for none
 * @param localRetryPause the pause before each of these runs
 */
public record StageNeeds(
    int slots, List<String> labels, String model, int localRetries, Duration localRetryPause) {

  private static final StageNeeds NOTHING = new StageNeeds(0, List.of());

  /** The same without local retries. */
  public StageNeeds(int slots, List<String> labels, String model) {
    this(slots, labels, model, 0, Duration.ZERO);
  }

  /** The same without a model and local retries. */
  public StageNeeds(int slots, List<String> labels) {
    this(slots, labels, "");
  }

  public StageNeeds {
    if (slots < 0) {
      throw new IllegalArgumentException("a stage takes at least 0 slots, not " + slots);
    }
    if (localRetries < 0 || localRetryPause.isNegative()) {
      throw new IllegalArgumentException(
          "local retries and their pause are at least 0, not "
              + localRetries
              + " and "
              + localRetryPause);
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

  /**
   * The requirements that the annotation states.
   *
   * @throws InvalidStageException if its {@code localRetryPause} is no duration
   */
  public static StageNeeds of(Stage stage) {
    int slots = Math.max(stage.slots(), stage.slot() ? 1 : 0);
    StageNeeds needs = new StageNeeds(slots, List.of(stage.requires()), stage.model());
    return stage.localRetries() == 0
        ? needs
        : needs.retriedHere(stage.localRetries(), pauseOf(stage));
  }

  private static Duration pauseOf(Stage stage) {
    try {
      return DurationText.parse(stage.localRetryPause());
    } catch (DateTimeParseException e) {
      throw new InvalidStageException(
          "@Stage "
              + stage.stage()
              + " has the localRetryPause '"
              + stage.localRetryPause()
              + "', which is no duration",
          "take one such as 10s, 1m30s or PT10S");
    }
  }

  /** The same, restricted to workers with these labels. */
  public StageNeeds on(String... needed) {
    return new StageNeeds(slots, List.of(needed), model, localRetries, localRetryPause);
  }

  /** The same with a model that is loaded on the slot. */
  public StageNeeds loading(String modelOfTheStage) {
    return new StageNeeds(slots, labels, modelOfTheStage, localRetries, localRetryPause);
  }

  /**
   * The same with local retries: if the handler throws, the worker runs it again after a pause, on
   * the same thread and slot and in the same hold, so with the same {@link
   * StageContext#idempotencyKey}. The failure is reported only when they are used up.
   *
   * <p>There is none after a {@link NonRetryableException}, a {@link ResourceException}, an {@code
   * Error}, an interrupt or a returned {@link StageResult}, none if the pause would reach the end
   * of the attempt, and none once the worker stops or drains.
   */
  public StageNeeds retriedHere(int retries, Duration pause) {
    return new StageNeeds(slots, labels, model, retries, pause);
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
