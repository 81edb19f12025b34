package io.asyncflow.flowsvr.model;

import java.util.List;
import java.util.stream.Collectors;

/**
 * An entry of a task's schedule log.
 *
 * @param trace the label of the hold
 * @param why a message as it was reported, {@link #LOST}, {@link #TIMED_OUT}, or empty
 */
record EndedHold(String trace, String why, long costMs) {

  static final String LOST = "<worker lost>";
  static final String TIMED_OUT = "<timed out>";

  /** How a {@link TaskView} shows a log: the last entry, then the older ones, oldest first. */
  static String show(EndedHold last, List<EndedHold> history) {
    return history.stream()
        .map(EndedHold::toString)
        .collect(Collectors.joining(", ", last + " after [", "]"));
  }

  @Override
  public String toString() {
    return trace + ":" + why + ":" + costMs + "ms";
  }
}
