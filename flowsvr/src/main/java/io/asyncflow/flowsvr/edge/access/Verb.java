package io.asyncflow.flowsvr.edge.access;

/**
 * What a caller may do. {@link Role} says which callers have which verbs, {@link Needs} which
 * methods need them.
 */
public enum Verb {
  TYPE_READ,
  TYPE_SAVE,
  /** Change what slows a type down or stops it, and nothing else of it. */
  TYPE_TUNE,
  TYPE_ROLL,
  TYPE_CLEAN,

  TASK_CREATE,
  TASK_READ,
  TASK_CANCEL,
  TASK_RETRY,
  TASK_FORCE,
  TASK_STEER,
  /** End a lease before its time. */
  TASK_EXPIRE,
  /** Act on all tasks that match a search; the verb of the act is needed, too. */
  BULK,
  /** Read numbers about tasks, and find them. */
  STATS_READ,
  /** Read what tasks and jobs are given and leave behind. */
  CONTEXT_READ,

  WORK_HOLD,
  WORK_REPORT,
  /** Change fields of a task without an epoch, as clients without leases do. */
  WORK_UPDATE,
  WORK_BEAT,
  STORE_PUT,
  STORE_GET,

  JOB_CREATE,
  JOB_READ,
  JOB_CANCEL,
  JOB_STEER,

  SCHEDULE_READ,
  SCHEDULE_SAVE,
  SCHEDULE_STEER,

  /** Pause and resume types, stages, workers, tasks and jobs. */
  PAUSE,
  /** Pause and resume workers alone. */
  WORKER_PAUSE,
  WORKER_READ,
  WORKER_DRAIN,

  EVENT_READ,
  HOOK_MANAGE,
  KEY_MANAGE,
  AUDIT_READ,

  GOVERN_READ,
  METRICS_READ,
  DOCS_READ
}
