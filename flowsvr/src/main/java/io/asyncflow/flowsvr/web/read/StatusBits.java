package io.asyncflow.flowsvr.web.read;

import io.asyncflow.api.TaskStatus;
import java.util.EnumSet;
import java.util.Set;

/** A filter by status: an OR of status bits, or a comma-separated list of them. */
public final class StatusBits {

  private static final int MAX_PIECES = 16;

  private StatusBits() {}

  /** The statuses that the field selects; empty, meaning all, if the field is absent or 0. */
  public static Set<TaskStatus> read(Fields in, String name) {
    Set<TaskStatus> statuses = EnumSet.noneOf(TaskStatus.class);
    for (String piece : in.names(name).max(MAX_PIECES, 2).values()) {
      if (!addAll(statuses, piece)) {
        in.refuse(name, "must be an OR of the status bits 1, 2, 4, 8, 16 and 32, or a comma list");
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
