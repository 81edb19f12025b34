package io.asyncflow.rules;

/**
 * What a task is in a job.
 *
 * @param index among the children, from 0; {@link #SPLIT} or {@link #MERGE}
 */
public record JobPlace(long jobId, int index) {

  /** The task that makes the children. */
  public static final int SPLIT = -1;

  /** The task that makes the result of theirs. */
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
