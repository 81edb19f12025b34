package io.asyncflow.flowsvr.claim;

import java.time.Duration;
import java.util.Set;

/**
 * What a worker would rather do, because it has loaded what that needs.
 *
 * @param stages whose tasks it takes as soon as they are due
 * @param othersAfter how long tasks of other stages must have been due before they are for it; zero
 *     if it has no preference
 */
public record Preference(Set<String> stages, Duration othersAfter) {

  public static final Preference NONE = new Preference(Set.of(), Duration.ZERO);

  /** How long a task of the stage must have been due, in ms. */
  long patienceMs(String stage) {
    return stages.contains(stage) ? 0 : othersAfter.toMillis();
  }
}
