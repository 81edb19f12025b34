package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Objects;

/**
 * A child of a job, as sent by the job's split.
 *
 * @param taskStage its first stage, at most 64 characters; not {@code split} or {@code merge}
 * @param taskContext the context of its first stage, at most 4,096 bytes of UTF-8; {@code null} is
 *     empty
 * @param priority seconds of head start; {@code null} for the job's priority
 * @param workerIds the 1 to 64 workers that may hold it; {@code null} for all
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JobChild(
    String taskStage, String taskContext, Integer priority, List<String> workerIds) {

  public JobChild {
    Objects.requireNonNull(taskStage, "taskStage");
  }

  /** A child that every worker may hold. */
  public JobChild(String taskStage, String taskContext, Integer priority) {
    this(taskStage, taskContext, priority, null);
  }

  /** The same child with another context. */
  public JobChild withTaskContext(String context) {
    return new JobChild(taskStage, context, priority, workerIds);
  }

  /** The same child for 1 to 64 workers. */
  public JobChild withWorkerIds(List<String> workers) {
    return new JobChild(taskStage, taskContext, priority, List.copyOf(workers));
  }
}
