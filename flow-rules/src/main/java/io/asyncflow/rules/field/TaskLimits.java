package io.asyncflow.rules.field;

import io.asyncflow.api.StoredText;

/**
 * The limits of a task's fields, which match the columns of {@code t_task_template}, and of calls.
 */
public final class TaskLimits {

  public static final int USER_ID = 128;
  public static final int STAGE = 64;
  public static final int WORKER_ID = 64;
  public static final int IDEMPOTENCY_KEY = 128;

  /** Bytes of UTF-8 of a context or a result. */
  public static final int CONTEXT_BYTES = StoredText.MOST_BYTES_IN_A_ROW;

  public static final int SCHEDULE_LOG_BYTES = 65_535;

  /** The largest priority, in seconds of head start. */
  public static final int PRIORITY = 31_536_000;

  public static final int RETRIES = 10_000;

  /** The largest cap of the retry delay, in seconds. */
  public static final int RETRY_INTERVAL = 31_536_000;

  /** The most tasks or reports of one call. */
  public static final int BATCH = 1_000;

  /** The longest delay, ten years in milliseconds. */
  public static final long DELAY_MS = 315_360_000_000L;

  public static final int OPERATOR = 128;
  public static final int REASON = 1_000;

  private TaskLimits() {}
}
