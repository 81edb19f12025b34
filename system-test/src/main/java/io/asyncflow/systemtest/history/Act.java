package io.asyncflow.systemtest.history;

/** What a line of the history is about. */
public enum Act {
  /** A client creates a task. The key is its idempotency key, which is its user id as well. */
  CREATE,
  /** A worker asks for tasks. The key is the hold's id; its answer is one line a task. */
  HOLD,
  /** A worker reports the end of a hold, one line a report. The key is the report's id. */
  REPORT,
  /** A worker renews its leases, one line a task. */
  BEAT,
  /** A client reads a task. */
  READ,
  /** An operator cancels a task. */
  CANCEL,
  /** An operator ends the hold of a task: sets other workers, or restarts it. */
  REVOKE,
  /** A worker starts; its text is the names of its labels with commas between them. */
  WORKER,
  /**
   * A client creates a job. The key is its idempotency key, which is its user id as well, the text
   * its input, the outcome its failure policy; what the answer names as the task is the job.
   */
  CREATE_JOB,
  /** A client cancels a job, which is named as the task. */
  CANCEL_JOB,
  /** A handler runs: the invocation is its start, an end of any kind its end. */
  RUN,
  /** An observer saw the position of a type: the status is begin, the epoch is end. */
  POSITION,
  /** Something was broken on purpose, from the invocation to the end. */
  FAULT,
  /** All faults are over; from here on everything must drain. */
  HEALED
}
