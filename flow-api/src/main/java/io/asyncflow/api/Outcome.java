package io.asyncflow.api;

/** What a run of a stage came to, as the worker reports it; the server decides what follows. */
public enum Outcome {
  /** Hand the task over to another stage (or the same one again). */
  NEXT_STAGE,
  /** The task is done. */
  SUCCESS,
  /** The attempt failed; try again after a delay unless the retries are exhausted. */
  RETRY,
  /** The task failed for good. */
  FAIL,
  /** Not yet: run the same stage again after a delay; no attempt is counted. */
  SNOOZE,
  /** Give the task back untouched; no attempt is counted. */
  RELEASE
}
