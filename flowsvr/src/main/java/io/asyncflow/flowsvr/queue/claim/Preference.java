package io.asyncflow.flowsvr.queue.claim;

import java.time.Duration;
import java.util.Set;

/**
 * The stages that a worker prefers, because it has their resources loaded.
 *
 * @param stages the stages whose tasks it takes as soon as they are due
 * @param othersAfter how long tasks of other stages must have been due before it takes them; zero
 *     without a preference
 */
public record Preference(Set<String> stages, Duration othersAfter) {

  public static final Preference NONE = new Preference(Set.of(), Duration.ZERO);

  /** How many ms a task of the stage must have been due before the worker takes it. */
  long patienceMs(String stage) {
    return stages.contains(stage) ? 0 : othersAfter.toMillis();
  }
}
