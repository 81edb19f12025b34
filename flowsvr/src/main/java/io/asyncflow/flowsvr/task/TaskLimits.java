package io.asyncflow.flowsvr.task;

/** How large the parts of a task may be; the columns of {@code t_task_template} hold as much. */
public final class TaskLimits {

  public static final int USER_ID = 128;
  public static final int STAGE = 64;
  public static final int WORKER_ID = 64;
  public static final int IDEMPOTENCY_KEY = 128;

  /** Of the context and of the result. */
  public static final int CONTEXT_BYTES = 4_096;

  public static final int SCHEDULE_LOG_BYTES = 65_535;

  /** Seconds of head start. */
  public static final int PRIORITY = 31_536_000;

  public static final int RETRIES = 10_000;

  /** Seconds. */
  public static final int RETRY_INTERVAL = 31_536_000;

  /** Tasks in one call. */
  public static final int BATCH = 1_000;

  /** Text of the tasks in one answer, which ends before it would exceed this; one always fits. */
  public static final int ANSWER_BYTES = 4 * 1024 * 1024;

  /** Rows that may be large and are read at once, so that few more are read than are answered. */
  public static final int SLICE = 100;

  private TaskLimits() {}
}
