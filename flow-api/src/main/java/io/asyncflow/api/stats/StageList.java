package io.asyncflow.api.stats;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;

/**
 * The stages of a type's tasks, over its live tables.
 *
 * @param at epoch ms
 * @param whole whether these are all stages
 */
public record StageList(long at, boolean whole, List<StageNumbers> stages) {

  /**
   * The numbers of a stage.
   *
   * @param due tasks that wait and are due
   * @param later tasks that wait and are due later
   * @param oldestDueMs for how long the first due task has been due; {@code null} if none is
   * @param oldestTaskId that task
   * @param workers workers that serve the stage
   * @param runMs how long runs took in the last hour
   * @param waitMs how long due tasks waited for their holds in the last hour
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record StageNumbers(
      String taskStage,
      BoundedCount due,
      BoundedCount later,
      BoundedCount executing,
      BoundedCount paused,
      BoundedCount success,
      BoundedCount failed,
      BoundedCount cancelled,
      Long oldestDueMs,
      String oldestTaskId,
      int workers,
      Percentiles runMs,
      Percentiles waitMs) {}

  /**
   * Percentiles of durations, at most 13 % off.
   *
   * @param p50 {@code null}, as the others, if there were no durations
   * @param n how many there were
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Percentiles(Long p50, Long p95, Long p99, long n) {}
}
