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
 */
public record StageNeeds(int slots, List<String> labels) {

  private static final StageNeeds NOTHING = new StageNeeds(0, List.of());

  public StageNeeds {
    if (slots < 0) {
      throw new IllegalArgumentException("a stage takes at least 0 slots, not " + slots);
    }
    labels = List.copyOf(labels);
    if (labels.stream().anyMatch(label -> label.isBlank() || label.startsWith("="))) {
      throw new IllegalArgumentException("a label that is needed has a name: " + labels);
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
    return new StageNeeds(Math.max(stage.slots(), stage.slot() ? 1 : 0), List.of(stage.requires()));
  }

  /** The same on workers with these labels alone. */
  public StageNeeds on(String... needed) {
    return new StageNeeds(slots, List.of(needed));
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
