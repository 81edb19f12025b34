package io.asyncflow.flowsvr.task;

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
}
