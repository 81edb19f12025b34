package io.asyncflow.worker;

import io.asyncflow.worker.internal.stage.ContextJson;

/**
 * What a child of a job returned.
 *
 * @param index its place in the job, from 0
 * @param taskId the task that it was
 * @param rawResult as its last stage returned it; empty if that was nothing
 */
public record ChildResult(int index, String taskId, String rawResult) {

  /**
   * The result read as JSON; never {@code null}.
   *
   * @throws NonRetryableException if it cannot be read as {@code type}
   */
  public <T> T result(Class<T> type) {
    return type.cast(ContextJson.read(rawResult, type));
  }
}
