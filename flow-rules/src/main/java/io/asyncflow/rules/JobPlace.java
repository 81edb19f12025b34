package io.asyncflow.rules;

import io.asyncflow.api.Copy;

/**
 * The role of a task in its job.
 *
 * @param index its index among the children, from 0; or {@link #SPLIT} or {@link #MERGE}
 * @param copies of a copy of a team, how many there are; {@code null} for all other tasks
 */
public record JobPlace(long jobId, int index, Integer copies) {

  /** The task that creates the children. */
  public static final int SPLIT = -1;

  /** The task that combines their results. */
  public static final int MERGE = -2;

  /** The stage of the task that creates the children. */
  public static final String SPLIT_STAGE = "split";

  /** The stage of the task that combines their results. */
  public static final String MERGE_STAGE = "merge";

  /** The place of a task that is no copy of a team. */
  public JobPlace(long jobId, int index) {
    this(jobId, index, null);
  }

  public static JobPlace splitOf(long jobId) {
    return new JobPlace(jobId, SPLIT);
  }

  public static JobPlace mergeOf(long jobId) {
    return new JobPlace(jobId, MERGE);
  }

  public boolean isChild() {
    return index >= 0;
  }

  /** Which copy of a team the task is; {@code null} if it is none. */
  public Copy copy() {
    return copies == null ? null : new Copy(index, copies);
  }
}
