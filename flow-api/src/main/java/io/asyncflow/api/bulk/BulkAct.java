package io.asyncflow.api.bulk;

/** What a bulk does to each of its tasks. */
public enum BulkAct {
  RETRY,
  CANCEL,
  /** Makes tasks due that would be later. */
  RUN_NOW,
  /** Changes when tasks are due, or how urgent they are. */
  RESCHEDULE,
  SET_STATUS,
  PAUSE,
  RESUME,
  /** Ends the leases of executing tasks before their time. */
  EXPIRE_LEASE
}
