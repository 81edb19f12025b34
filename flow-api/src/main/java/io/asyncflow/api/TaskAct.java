package io.asyncflow.api;

import java.util.Locale;

/**
 * The acts of operators on a task: how each is called, and what its caller needs. The names are
 * those in the record of acts and in bulks. What an act makes of a task is said by the rules.
 */
public enum TaskAct {
  CANCEL("cancel", "TASK_CANCEL"),
  RETRY("retry", "TASK_RETRY"),
  PAUSE("pause", "PAUSE"),
  RESUME("resume", "PAUSE"),
  /** Makes a task due that would be later. */
  RUN_NOW("runNow", "TASK_STEER"),
  /** Changes when a task is due, or how urgent it is. */
  RESCHEDULE("reschedule", "TASK_STEER"),
  SET_STATUS("setStatus", "TASK_FORCE"),
  SET_WORKERS("setWorkers", "TASK_STEER"),
  /** Ends the hold of an executing task. */
  RESTART("restart", "TASK_STEER"),
  /** Ends the lease of an executing task before its time. */
  EXPIRE_LEASE("expireLease", "TASK_EXPIRE");

  private final String call;
  private final String verb;

  TaskAct(String call, String verb) {
    this.call = call;
    this.verb = verb;
  }

  /** The path of the call that does it to one task. */
  public String path() {
    return "/api/task/" + call;
  }

  /** The verb that its caller needs, for one task and for many. */
  public String verb() {
    return verb;
  }

  /** Whether it is done to one task only if a reason is given. */
  public boolean needsReason() {
    return this == SET_STATUS || this == EXPIRE_LEASE;
  }

  /** Such as {@code run_now}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
