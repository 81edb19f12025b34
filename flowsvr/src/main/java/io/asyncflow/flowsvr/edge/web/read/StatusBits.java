package io.asyncflow.flowsvr.edge.web.read;

import io.asyncflow.api.TaskStatus;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/** A filter by status: an OR of status bits, or a comma-separated list of them. */
public final class StatusBits {

  private static final int MAX_PIECES = 16;

  private static final String RULE =
      Arrays.stream(TaskStatus.values())
          .map(status -> status.code() + " (" + status.name() + ")")
          .collect(
              Collectors.joining(
                  ", ", "must be one of ", ", a sum of them, or several with commas"));

  private StatusBits() {}

  /** The statuses that the field selects; empty, meaning all, if the field is absent or 0. */
  public static Set<TaskStatus> read(Fields in, String name) {
    Set<TaskStatus> statuses = EnumSet.noneOf(TaskStatus.class);
    for (String piece : in.names(name).max(MAX_PIECES, Integer.MAX_VALUE).values()) {
      if (!addAll(statuses, piece)) {
        in.refuse(name, RULE);
        return Set.of();
      }
    }
    return statuses;
  }

  private static boolean addAll(Set<TaskStatus> statuses, String piece) {
    try {
      int bits = Integer.parseInt(piece);
      if (bits != 0) {
        statuses.addAll(TaskStatus.ofBits(bits));
      }
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
