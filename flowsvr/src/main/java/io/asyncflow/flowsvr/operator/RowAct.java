package io.asyncflow.flowsvr.operator;

import io.asyncflow.flowsvr.act.Act;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.rules.TaskRow;

/**
 * An act on a task whose row is locked: its guard and what it writes, without how the task was
 * found. Single calls and bulks go through the same ones.
 */
@FunctionalInterface
public interface RowAct {

  /**
   * What was done.
   *
   * @param act to be recorded in the same transaction
   * @param news to be published after the commit; {@code null} for none
   * @param counted runs after the commit
   */
  record Done(Act act, TasksWaiting news, Runnable counted) {

    private static final Runnable NOTHING = () -> {};

    /** Nobody waits for it, and nothing counts it. */
    public static Done quietly(Act act) {
      return new Done(act, null, NOTHING);
    }

    /** Tasks may be claimable now. */
    public static Done telling(Act act, TasksWaiting news) {
      return new Done(act, news, NOTHING);
    }

    public Done counting(Runnable work) {
      return new Done(act, news, work);
    }
  }

  /**
   * Does it, in the transaction of this thread.
   *
   * @param row as it was locked
   * @return {@code null} if there was nothing to do
   * @throws io.asyncflow.api.FlowException if it is refused; then nothing was written
   */
  Done on(TaskRow row);
}
