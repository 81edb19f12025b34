package io.asyncflow.rules;

import io.asyncflow.api.CreateOutcome;
import io.asyncflow.api.OnDuplicate;
import io.asyncflow.api.TaskStatus;
import java.util.Optional;

/** Decides what a create does if a task stands under its idempotency key. Pure functions. */
public final class DuplicateCreate {

  private DuplicateCreate() {}

  /** Whether the decision depends on the status of the task that stands under the key. */
  public static boolean needsStatus(OnDuplicate onDuplicate, boolean untilDone) {
    return untilDone || onDuplicate == OnDuplicate.REPLACE || onDuplicate == OnDuplicate.RERUN;
  }

  /**
   * What the create does.
   *
   * @param untilDone whether the key of a final task counts as free
   * @param standing the status of the task under the key; {@code null} if it cannot wait again,
   *     because its table was dropped or takes no tasks any more, or if {@link #needsStatus} is
   *     false
   * @param sameBody whether the task was created with the same body
   * @return empty if the create is refused because of its body
   */
  public static Optional<CreateOutcome> outcome(
      OnDuplicate onDuplicate, boolean untilDone, TaskStatus standing, boolean sameBody) {
    boolean isDone = standing == null || standing.isFinal();
    if (untilDone && isDone) {
      return Optional.of(CreateOutcome.CREATED);
    }
    return switch (onDuplicate) {
      case SAME -> sameBody ? Optional.of(CreateOutcome.EXISTING) : Optional.empty();
      case KEEP -> Optional.of(CreateOutcome.KEPT);
      case REPLACE ->
          Optional.of(standing == TaskStatus.WAITING ? CreateOutcome.REPLACED : CreateOutcome.KEPT);
      case RERUN ->
          Optional.of(
              standing == null
                  ? CreateOutcome.CREATED
                  : isDone ? CreateOutcome.RERUN : CreateOutcome.KEPT);
    };
  }
}
