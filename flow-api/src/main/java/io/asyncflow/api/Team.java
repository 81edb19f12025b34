package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Objects;

/**
 * A job's copies of one task, each for a worker of its own. No worker gets a second copy of a job.
 *
 * @param workers the number of copies, 1 to 1,000, of which those that find no worker wait for the
 *     next one; 0 for one on each worker that serves the stage now, and it is an error if none does
 * @param taskStage the first stage of each copy, at most 64 characters; not {@code split} or {@code
 *     merge}
 * @param taskContext the context of each copy, at most 4,096 bytes of UTF-8; {@code null} is empty
 * @param workerIds the 1 to 64 workers that may get a copy; {@code null} for all
 * @param maxMoves how often a copy that has failed is given to another worker, 0 to 100; {@code
 *     null} is 3
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Team(
    Integer workers,
    String taskStage,
    String taskContext,
    List<String> workerIds,
    Integer maxMoves) {

  public Team {
    Objects.requireNonNull(workers, "workers");
    Objects.requireNonNull(taskStage, "taskStage");
  }

  /** A copy on each of this many workers. */
  public static Team of(int workers, String taskStage, String taskContext) {
    return new Team(workers, taskStage, taskContext, null, null);
  }

  /** A copy on each worker that serves the stage when the job is created. */
  public static Team ofAll(String taskStage, String taskContext) {
    return of(0, taskStage, taskContext);
  }

  /** Whether it has a copy for each worker that served the stage when the job was created. */
  public boolean coversAll() {
    return workers == 0;
  }

  /** The same team with another context. */
  public Team withTaskContext(String context) {
    return new Team(workers, taskStage, context, workerIds, maxMoves);
  }

  /** The same team of some of these 1 to 64 workers. */
  public Team withWorkerIds(List<String> candidates) {
    return new Team(workers, taskStage, taskContext, List.copyOf(candidates), maxMoves);
  }

  /** The same team whose copies are moved this often after they failed. */
  public Team withMaxMoves(int moves) {
    return new Team(workers, taskStage, taskContext, workerIds, moves);
  }

  /** The same team without its context, which its copies have. */
  public Team withoutContext() {
    return withTaskContext(null);
  }
}
