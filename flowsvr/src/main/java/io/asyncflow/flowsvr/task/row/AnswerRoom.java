package io.asyncflow.flowsvr.task.row;

import io.asyncflow.flowsvr.base.system.Utf8;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.field.TaskLimits;

/** Counts the bytes of the texts in one answer. Not thread-safe. */
public final class AnswerRoom {

  /**
   * The most bytes of task texts in one answer, which ends before it would exceed them; one task
   * always fits.
   */
  public static final int BYTES = 4 * 1024 * 1024;

  /** The most rows with large texts that are read at once, so that few rows are read in vain. */
  public static final int SLICE = 100;

  private long bytes;
  private boolean isEmpty = true;

  /**
   * Adds texts of so many bytes if they fit; the first ones always do.
   *
   * @return {@code false} if the answer would exceed {@link TaskLimits#ANSWER_BYTES}; then nothing
   *     is added
   */
  public boolean take(long added) {
    if (!isEmpty && bytes + added > BYTES) {
      return false;
    }
    bytes += added;
    isEmpty = false;
    return true;
  }

  /** The length of the row's texts, in bytes of UTF-8. */
  public static long bytesOf(TaskRow row) {
    return Utf8.length(row.context()) + Utf8.length(row.result()) + Utf8.length(row.scheduleLog());
  }

  /** An upper bound of {@link #bytesOf}, which does not read the characters. */
  public static long bytesAtMost(TaskRow row) {
    return 3L * (lengthOf(row.context()) + lengthOf(row.result()) + lengthOf(row.scheduleLog()));
  }

  private static int lengthOf(String text) {
    return text == null ? 0 : text.length();
  }
}
