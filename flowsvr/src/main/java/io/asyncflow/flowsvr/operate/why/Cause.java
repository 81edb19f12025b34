package io.asyncflow.flowsvr.operate.why;

/** What keeps a task from running, or why it runs or has ended. */
enum Cause {
  TYPE_UNKNOWN(true, "RESTORE_TYPE", "Its type is not configured any more."),
  TASK_PAUSED(true, "RESUME_TASK", "It is paused."),
  TYPE_PAUSED(true, "RESUME_TYPE", "Its type is paused."),
  STAGE_PAUSED(true, "RESUME_STAGE", "Its stage is paused."),
  JOB_PAUSED(true, "RESUME_JOB", "Its job is paused."),
  JOB_STOPPING("JOB_HOLDS", true, "OPEN_JOB", "Its job is being stopped."),
  JOB_HOLDS(true, "OPEN_JOB", "Its job is {state}, and makes no tasks of its children."),
  JOB_MAKES_TASKS("JOB_HOLDS", false, "WAIT", "Its job makes tasks of its children page by page."),
  JOB_WINDOW(true, "WAIT", "As many children of its job as may be in flight are, {window}."),
  TEAM_LACKS_WORKER(
      "TEAM_WAITS",
      true,
      "START_WORKER",
      "Its team waits for another worker: each copy has a worker of its own."),
  TEAM_WAITS(
      false,
      "START_WORKER",
      "It is a copy of a team, which gives it to another worker when this one stays silent."),
  FIRE_AHEAD(true, null, "Its schedule made it before its fire time."),
  SNOOZED(true, "RUN_NOW", "Its handler put it off."),
  BACKOFF(true, "RUN_NOW", "It waits for its next attempt, after {failures} failed ones."),
  NOT_DUE(true, "RUN_NOW", "It is not due yet."),
  LIMIT_EXECUTING(true, "RAISE_LIMIT", "As many tasks of its type execute as may, {limit}."),
  LIMIT_RATE(true, "RAISE_LIMIT", "The rate of its type, {perSecond} a second, is used up."),
  WORKERS_PAUSED(true, "RESUME_WORKER", "All workers with the stage {stageName} are paused."),
  WORKER_TOO_OLD(
      true,
      "UPGRADE_WORKER",
      "All workers with the stage are older than version {minVersion}, which the type asks for."),
  MODEL_PREFERRED(
      false, "WAIT", "Workers that have loaded its model may take it first, for a second."),
  HANDLERS_STUCK(false, "RESTART_WORKER", "{worker} has {stuck} handlers that heed no interrupt."),
  SLOTS_QUARANTINED(
      true,
      "CHECK_DEVICE",
      "No slot of the workers with this stage is free, and some are in quarantine."),
  WORKERS_FULL(true, "ADD_WORKERS", "The workers with this stage have no free thread."),
  LABELS_MISSING(
      true,
      "LABEL_WORKER",
      "Workers have a handler for the stage, and lack the labels {requires}."),
  LANE_NO_WORKER(
      true,
      "SET_WORKERS",
      "None of the workers that may hold it is alive and has the stage {stageName}."),
  UNLISTED_POLLERS(
      false,
      null,
      "No worker describes this stage, but clients that describe nothing take such tasks."),
  NO_WORKER(true, "START_WORKER", "No live worker has the stage {stageName}.{whatOthersDo}"),
  BEHIND(false, "WAIT", "{atLeast}{ahead} due tasks of its stage stand before it."),
  RAN_TO_NOBODY(false, "REPORT_BUG", "It is due, and nothing is known that keeps it from running."),
  LEASE_OVER(false, "CHECK_GOVERNANCE", "Its lease is over; the next sweep gives it back."),
  HELD(false, null, "A worker holds it."),
  QUEUED_AT_WORKER(
      false, "WAIT", "Its worker has not begun it: a thread or a slot must become free first."),
  NO_HEARTBEATS(false, null, "Its holder has no id and sends no heartbeats."),
  WORKER_SILENT(false, "WAIT", "Its worker has been silent for longer than it should be."),
  FAILED_FINAL(false, "RETRY", "It has failed, and is not tried again."),
  CANCELLED_BY(false, "RETRY", "It was cancelled."),
  DONE(false, null, "It has succeeded.");

  final String code;
  final boolean blocks;
  final String todo;
  final String text;

  Cause(boolean blocks, String todo, String text) {
    this(null, blocks, todo, text);
  }

  /**
   * @param code of several reasons that are one for clients; {@code null} for the name
   * @param blocks whether it alone keeps the task from running
   * @param todo what helps; {@code null} if nothing need be done
   * @param text with the names of its data in braces
   */
  Cause(String code, boolean blocks, String todo, String text) {
    this.code = code == null ? name() : code;
    this.blocks = blocks;
    this.todo = todo;
    this.text = text;
  }
}
