package io.asyncflow.api.stats;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.asyncflow.api.RecordCopy;
import java.util.List;

/**
 * All types that the caller sees, and what is wrong with them.
 *
 * @param at epoch ms of the moment that it shows
 */
public record Overview(long at, List<TypeNumbers> types, List<Problem> problems) {

  /**
   * The numbers of a type.
   *
   * @param due tasks that wait and are due
   * @param oldestDueMs for how long the first of them has been due; {@code null} if none is
   * @param workers workers that serve a stage of it
   * @param spark tasks that ended, in each of the last 60 minutes, the latest last
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record TypeNumbers(
      String taskType,
      boolean paused,
      BoundedCount due,
      BoundedCount executing,
      Long oldestDueMs,
      int workers,
      LastHour lastHour,
      LastDay lastDay,
      List<Long> spark) {

    /** The same of a type that is paused now, or not. */
    public TypeNumbers paused(boolean isPaused) {
      return RecordCopy.with(this, "paused", isPaused);
    }
  }

  /**
   * What happened in the last 60 minutes.
   *
   * @param finished tasks that ended with success, failed or were cancelled
   * @param failed tasks that were set to failed
   */
  public record LastHour(long created, long finished, long failed) {}

  /**
   * What happened in the last 24 hours.
   *
   * @param finalFailures tasks that were set to failed
   */
  public record LastDay(long finalFailures) {}

  /**
   * Something that an operator should look at.
   *
   * @param code NO_WORKER, LATE, LIMIT, POISONED, PAUSED, TABLE_STUCK
   * @param taskStage {@code null} if it is not about one stage
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Problem(String code, String taskType, String taskStage) {}
}
