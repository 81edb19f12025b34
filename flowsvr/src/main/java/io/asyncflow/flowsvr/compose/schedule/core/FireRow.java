package io.asyncflow.flowsvr.compose.schedule.core;

import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.rules.schedule.FirePosition.Fired;

/**
 * A row of {@code t_schedule_fire_{yyyymmdd}}.
 *
 * @param fireTime epoch ms, as all times
 * @param manual whether a trigger or a backfill made it, beside the plan
 * @param run the task or the job that it created; {@code null} if it created none
 * @param node the server that made it
 * @param endStatus code of the status in which the run ended; {@code null} while it lives
 */
public record FireRow(
    long scheduleId,
    long fireTime,
    FireOutcome outcome,
    boolean manual,
    long makeTime,
    Run run,
    String node,
    long sliceEpoch,
    Integer endStatus,
    Long endTime) {

  /** What it created by plan; its run must not be {@code null}. */
  public Fired fired() {
    return new Fired(fireTime, run.toString());
  }
}
