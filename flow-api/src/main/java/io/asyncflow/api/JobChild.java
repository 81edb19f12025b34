package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Objects;

/**
 * A child of a job, as sent by the job's split.
 *
 * @param taskStage its first stage, at most 64 characters; not {@code split} or {@code merge}
 * @param taskContext the context of its first stage, at most 4,096 bytes of UTF-8; {@code null} is
 *     empty
 * @param priority seconds of head start; {@code null} for the job's priority
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JobChild(String taskStage, String taskContext, Integer priority) {

  public JobChild {
    Objects.requireNonNull(taskStage, "taskStage");
  }
}
