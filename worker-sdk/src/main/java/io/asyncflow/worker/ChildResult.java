package io.asyncflow.worker;

import io.asyncflow.worker.internal.json.ContextJson;

/**
 * The result of a child of a job.
 *
 * @param index the index of the child in the job, from 0
 * @param taskId the id of the child's task
 * @param rawResult the result as its last stage returned it; empty if there was none
 */
public record ChildResult(int index, String taskId, String rawResult) {

  /**
   * The result read as JSON; never {@code null}.
   *
   * @throws NonRetryableException if it is not JSON
   * @throws IllegalArgumentException if it cannot be read as {@code type}
   */
  public <T> T result(Class<T> type) {
    return type.cast(ContextJson.read(rawResult, type));
  }
}
