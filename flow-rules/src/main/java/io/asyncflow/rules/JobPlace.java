package io.asyncflow.rules;

/**
 * The role of a task in its job.
 *
 * @param index its index among the children, from 0; or {@link #SPLIT} or {@link #MERGE}
 */
public record JobPlace(long jobId, int index) {

  /** The task that creates the children. */
  public static final int SPLIT = -1;

  /** The task that combines their results. */
  public static final int MERGE = -2;

  public static JobPlace splitOf(long jobId) {
    return new JobPlace(jobId, SPLIT);
  }

  public static JobPlace mergeOf(long jobId) {
    return new JobPlace(jobId, MERGE);
  }

  public boolean isChild() {
    return index >= 0;
  }
}
