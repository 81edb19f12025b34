package io.asyncflow.flowsvr.task;

import io.asyncflow.flowsvr.system.Utf8;
import io.asyncflow.rules.TaskRow;

/** The room that one answer has for texts. For one thread. */
public final class AnswerRoom {

  private long bytes;
  private boolean isEmpty = true;

  /**
   * Takes room for texts of so many bytes; the first always fit.
   *
   * @return {@code false} if they would make the answer longer than {@link TaskLimits#ANSWER_BYTES}
   */
  public boolean take(long more) {
    if (!isEmpty && bytes + more > TaskLimits.ANSWER_BYTES) {
      return false;
    }
    bytes += more;
    isEmpty = false;
    return true;
  }

  /** How long the row's texts are together, in bytes of UTF-8. */
  public static long bytesOf(TaskRow row) {
    return Utf8.length(row.context()) + Utf8.length(row.result()) + Utf8.length(row.scheduleLog());
  }

  /** At most as many bytes as the row's texts are long, without a look at each character. */
  public static long bytesAtMost(TaskRow row) {
    return 3L * (lengthOf(row.context()) + lengthOf(row.result()) + lengthOf(row.scheduleLog()));
  }

  private static int lengthOf(String text) {
    return text == null ? 0 : text.length();
  }
}
