package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.util.Arrays;

/** What a create did. */
public enum CreateOutcome {
  /** There is a new task. */
  CREATED,
  /** The task was created before, with the same body. */
  EXISTING,
  /** The task stays as it is, and the new body was not used. */
  KEPT,
  /** The waiting task has the new body. */
  REPLACED,
  /** The task was final; it waits again, with the new body. */
  RERUN;

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  static CreateOutcome of(String word) {
    return Arrays.stream(values()).filter(v -> v.name().equals(word)).findFirst().orElse(null);
  }
}
