package io.asyncflow.flowsvr.job.core;

/** Whether a job is paused; beside its state, which stays. */
public enum JobPause {
  /** It goes on. */
  NONE(0),
  /** What waits of it is paused, page by page. */
  PAUSED(1),
  /** What was paused of it waits again, page by page. */
  RESUMING(2);

  private final int code;

  JobPause(int code) {
    this.code = code;
  }

  /** The number in SQL; 0 stands for NULL. */
  int code() {
    return code;
  }

  static JobPause ofCode(int code) {
    return values()[code];
  }
}
