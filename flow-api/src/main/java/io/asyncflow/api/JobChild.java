package io.asyncflow.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Objects;

/**
 * A child of a job, as its split sends it.
 *
 * @param taskStage the stage that it starts with, at most 64 characters; not {@code split} or
 *     {@code merge}
 * @param taskContext what that stage reads, at most 4,096 bytes of UTF-8; {@code null} is empty
 * @param priority seconds of head start; {@code null} is the job's
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JobChild(String taskStage, String taskContext, Integer priority) {

  public JobChild {
    Objects.requireNonNull(taskStage, "taskStage");
  }
}
